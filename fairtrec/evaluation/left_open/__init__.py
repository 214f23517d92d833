"""What ties, unknown groups and missing texts leave open: the values of a run over all orders, labellings or texts."""
