"""What tools/fuzz.py consists of: seeds from the vectors, builds for hunting, the two kinds of targets."""
