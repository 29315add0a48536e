"""Files of samples: each kind read once, in pieces, into the same columns of text."""
