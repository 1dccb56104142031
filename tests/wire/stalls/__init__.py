"""The bot as a process that notes what holds its event loop up; its processes for reading do not import it again."""
