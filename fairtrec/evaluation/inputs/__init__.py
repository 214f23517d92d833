"""What measures look at: what was given and chosen, how it is read, and the inputs that are made of it."""
