"""What is said: values in, a :class:`~bot.answers.reply.Reply` out, one module for each kind of answer."""
