"""What people are told of a plan: why each partition changes, what else was possible, what more would buy."""
