"""What the tests share: the data they read, an encoder that checks nothing, and a second reading of the rules.

Nothing in here uses the codec under test, so that a mistake in the codec cannot hide in the expectation.
"""
