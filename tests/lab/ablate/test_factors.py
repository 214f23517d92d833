"""Every choice that can be varied is read as eval reads it."""

import pytest

from fairtrec.evaluation.inputs.options import CHOICES
from fairtrec.lab.ablate.factors import settings
from fairtrec.measures import NFaiRR
from fairtrec.support.errors import UsageError

VARIED = [(row, trial) for row in CHOICES.values() if row.factor for trial in row.trials]


@pytest.mark.parametrize(("row", "trial"), VARIED, ids=[f"{row.factor}-{trial}" for row, trial in VARIED])
def test_ablate_reads_what_it_varies(row, trial):
    spelled = next((word for word, value in row.values.items() if value == trial), str(trial))
    (found,) = settings([f"{row.factor}={spelled}"], NFaiRR(), grid=False, terms=0)
    assert found.keywords == {row.name: trial}


@pytest.mark.parametrize("name", [name for name, row in CHOICES.items() if not row.factor])
def test_ablate_refuses_the_others(name):
    with pytest.raises(UsageError, match="cannot be varied"):
        settings([f"{CHOICES[name].option}=1"], NFaiRR(), grid=False, terms=0)
