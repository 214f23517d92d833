"""How much fairness there is for how much utility: the orders of which no other has more of both."""
