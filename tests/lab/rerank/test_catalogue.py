"""``fairtrec measures`` describes rerankers, next to measures."""


def test_measures_describes_rerankers_and_several_names(fairtrec_command):
    done = fairtrec_command("measures", "FairGreedy@20", "NDKL")
    assert done.code == 0
    assert [line for line in done.out.splitlines() if "@10" in line and " " not in line] == ["FairGreedy@10", "NDKL@10"]
