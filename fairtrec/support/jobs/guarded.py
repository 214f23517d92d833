"""What the process that others are forked from imports first: it loads no large library without memory for it."""

from fairtrec.support.guarded_imports import guard_large_libraries

guard_large_libraries()
