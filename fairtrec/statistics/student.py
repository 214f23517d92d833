"""Student's t: the critical value, with the same digits whatever version of scipy is installed."""

from math import exp, isfinite, log1p, sqrt


def critical_t(freedom: float, tail: float) -> float:
    """Return the t that is exceeded with probability ``tail``, below 0.5, at ``freedom`` degrees of freedom.

    scipy before 1.17 gives it to 11 digits; one step of Newton's method makes these 15.

    >>> round(critical_t(9, 00.025), 10)
    2.2621571628
    """
    from scipy import special

    t = -float(special.stdtrit(freedom, tail))
    density = exp(-(freedom + 1) / 2 * log1p(t * t / freedom) - float(special.betaln(freedom / 2, 0.5))) / sqrt(freedom)
    step = (float(special.stdtr(freedom, -t)) - tail) / density if density else 0.0
    return t + step if isfinite(step) else t
