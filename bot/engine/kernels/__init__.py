"""The compiled part of the engine: functions over arrays of numbers, which :mod:`bot.engine` calls with checked values."""
