"""The states of a run, one file each: coroutines that yield instructions and take their answers."""
