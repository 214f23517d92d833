"""What two versions draw is the same file, so its digest is."""

import sys

import fairtrec


def test_what_two_versions_draw_alike_is_the_same_file(tmp_path, monkeypatch):
    run = {"q1": {"d1": 3.0, "d2": 2.0}, "q2": {"d3": 1.0}}
    before = fairtrec.gold.draw(run, 2)
    before.write(tmp_path / "one.tsv")
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "fairtrec" and hasattr(module, "__version__"):
            monkeypatch.setattr(module, "__version__", "99.0.0")
    fairtrec.gold.draw(run, 2).write(tmp_path / "other.tsv")
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "other.tsv").read_bytes()
