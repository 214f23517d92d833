"""headroom offers no option that it always refuses."""

from fairtrec.evaluation.inputs.options import CHOICES, has_option


def test_headroom_offers_nothing_that_it_always_refuses():
    assert not [name for name, row in CHOICES.items() if "headroom" in row.refused and has_option("headroom", row)]
