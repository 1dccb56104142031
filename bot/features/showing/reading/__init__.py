"""Finding and reading what a user sent, in this process or in another that can be killed: no service and no store."""
