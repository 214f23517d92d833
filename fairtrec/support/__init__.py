"""What all rooms stand on: files, processes, progress, loops in C, resources, errors, words that choose."""
