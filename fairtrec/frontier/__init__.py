"""How much fairer each run could be at no loss of utility, and at any loss: its front."""
