"""Is the instrument right? Documents are drawn for people to label; what they say describes what decides groups now."""

from fairtrec.lab.gold.agree import agree
from fairtrec.lab.gold.draw import draw
from fairtrec.lab.gold.judges import judges

__all__ = ["agree", "draw", "judges"]
