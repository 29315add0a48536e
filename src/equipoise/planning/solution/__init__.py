"""The best plan so far with what is proved of it, what it is held against, and who hears of it."""
