"""headroom offers no option that it always refuses."""

from fairtrec.evaluation.inputs.options import CHOICES
from fairtrec.lab.headroom.command import command


def test_headroom_offers_nothing_that_it_always_refuses():
    refused = {name for name, row in CHOICES.items() if "headroom" in row.refused}
    assert refused
    assert not refused & {each.name for each in command.params}
