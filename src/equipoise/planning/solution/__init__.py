"""The best plan so far with what is proved of it, what it is held against, and who hears how it came to be."""
