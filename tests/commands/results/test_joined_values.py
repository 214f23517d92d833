"""Values of several files are joined by run and query."""

import fairtrec
from fairtrec.commands.results.named_values import read_values
from fairtrec_made import texts


def test_judgments_of_people_are_correlated_with_measures_of_another_file(tmp_path):
    (tmp_path / "a.csv").write_text(
        "run,query_id,NFaiRR@10\nr1,q1,.5\nr1,q2,.6\nr1,q3,.1\nr2,q1,.4\nr2,q2,.5\nr2,q3,0\n"
    )
    (tmp_path / "human.csv").write_text("run,query_id,human\nr1,q1,3\nr1,q2,4\nr1,q3,1\n")
    read = read_values([tmp_path / "a.csv", tmp_path / "human.csv"])
    assert [(each.run, list(map(str, each.measures))) for each in read.scores] == [("r1", ["NFaiRR@10", "human"])]
    assert read.scores[0].values.tolist() == [[0.5, 0.6, 0.1], [3, 4, 1]]
    assert "values of several files are joined by run and query; in only one file: r2" in texts(read.notes)
    assert fairtrec.correlate(read, "queries").rows
