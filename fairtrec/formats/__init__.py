"""One reader for each file format; each gives one type of data/ and refuses what it does not understand."""
