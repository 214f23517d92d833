"""ablate -o: no file that is read is overwritten, whatever option names it."""


def test_what_vary_reads_is_not_overwritten(example, fairtrec_command, tmp_path):
    words = tmp_path / "words.csv"
    words.write_text("f,she\nm,he\n")
    run, texts = example / "neural.run", example / "collection.tsv"
    given = ("-m", "FaiRR@10", "--terms", "gender-en", "--docs", texts)
    for vary in (f"terms={words}", f"terms=gender-en-core,{words}"):
        done = fairtrec_command("ablate", "none", run, example / "bm25.run", *given, "--vary", vary, "-o", words)
        assert done.code == 2
        assert "words.csv" in done.err
        assert words.read_text() == "f,she\nm,he\n"
