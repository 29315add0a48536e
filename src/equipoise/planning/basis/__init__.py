"""What all rooms of planning stand on: the proof of a goal, units by name, whole numbers that differ."""
