"""Linear programs, and programs whose columns have to be whole: the only room that knows HiGHS."""
