"""How much fairer runs could be, as text, records and a page."""
