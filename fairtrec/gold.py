"""Is the instrument right? Documents are drawn for people to label; what they say describes what decides groups now."""

from fairtrec.commands.gold.agreeing import agree
from fairtrec.commands.gold.drawing import draw
from fairtrec.commands.gold.judging import judges

__all__ = ["agree", "draw", "judges"]
