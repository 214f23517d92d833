"""One measure, or one inseparable family, in one file. Siblings never import each other."""
