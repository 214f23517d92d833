"""The version of the package; what is written into files and signatures."""

__version__ = "0.1.0"
