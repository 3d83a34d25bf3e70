"""What tools/mutate.py consists of: the list of faults, and the copies they are judged in."""
