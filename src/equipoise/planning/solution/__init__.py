"""The best plan so far with what is proved of it, and the plans that it is held against."""
