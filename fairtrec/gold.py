"""Is the instrument right? Documents are drawn for people to label; what they say describes what decides groups now."""

from fairtrec.commands.gold.agree import agree
from fairtrec.commands.gold.draw import draw
from fairtrec.commands.gold.judges import judges

__all__ = ["agree", "draw", "judges"]
