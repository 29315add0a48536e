"""Leaders on the survivors after the loss of a broker, on clusters of any size.

`spread` finds the partitions' first followers where placement may change for them, `bound` says what no
placement can beat.
"""
