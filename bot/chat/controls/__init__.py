"""Controls under messages. Their state is in their ``custom_id``, so that they work after a restart."""
