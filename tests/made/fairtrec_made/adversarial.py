"""A world of templated texts with a planted shortcut, and an encoder small enough to be trained in a test.

Texts say what somebody does who has a made-up trade. Those of the query's trade are relevant. In the triples most
relevant texts are gendered, and few of the others: a ranker can go by that. Of the documents to be ranked, half of the
relevant ones are gendered, and half of the others.
"""

import random
from itertools import product

FORMS = (
    "{who} works as a {trade} in the {place}", "as a {trade} {who} often sees the {place}",
    "the {place} of a {trade} is where {who} starts", "{who} talks of the {place} and the {trade}",
)  # fmt: skip
QUERIES = "what does a {} do", "how much does a {} earn", "who becomes a {}"
NEUTRAL, GENDERED = ("somebody",), (("she",), ("he",))
PLACES = "town", "office", "morning", "street", "house", "evening", "market", "school"
SYLLABLES = ["".join(each) for each in product("bdfgklmnprstvz", "aeiou")]


def world(folder, seed=0, *, trades=120, unseen=24, triples=12, shortcut=0.85, relevant=6, candidates=24):
    """Write triples.tsv of some trades, and docs.tsv, queries.tsv, qrels.txt and bm25.run of others."""
    draw = random.Random(seed)
    words = set()
    while len(words) < trades:
        words.add("".join(draw.choice(SYLLABLES) for _ in range(3)))
    names = sorted(words)
    draw.shuffle(names)
    seen, new = names[unseen:], names[:unseen]

    def text(trade, *, gendered):
        who = draw.choice(draw.choice(GENDERED) if gendered else NEUTRAL)
        return draw.choice(FORMS).format(who=who, trade=trade, place=draw.choice(PLACES))

    def other(trade, among):
        return draw.choice([each for each in among if each != trade])

    rows = []
    for trade in seen:
        query = draw.choice(QUERIES).format(trade)
        for _ in range(triples):
            good = text(trade, gendered=draw.random() < shortcut)
            bad = text(other(trade, seen), gendered=draw.random() > shortcut)
            rows.append(f"{query}\t{good}\t{bad}")
    queries, docs, qrels, run = [], [], [], []
    for number, trade in enumerate(new):
        qid = f"q{number:02}"
        queries.append(f"{qid}\t{draw.choice(QUERIES).format(trade)}")
        docnos = [f"{qid}d{place:02}" for place in range(candidates)]
        for place, docno in enumerate(docnos):
            of = trade if place < relevant else other(trade, new)
            docs.append(f"{docno}\t{text(of, gendered=place % 2 == 0)}")
        qrels += [f"{qid} 0 {docno} 1" for docno in docnos[:relevant]]
        draw.shuffle(docnos)
        run += [f"{qid} Q0 {docno} {rank} {candidates - rank} bm25" for rank, docno in enumerate(docnos, 1)]
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in {
        "triples.tsv": rows, "queries.tsv": queries, "docs.tsv": docs, "qrels.txt": qrels, "bm25.run": run
    }.items():  # fmt: skip
        (folder / name).write_text("\n".join(lines) + "\n")
    texts = " ".join((folder / name).read_text() for name in ("triples.tsv", "queries.tsv", "docs.tsv"))
    return sorted(set(texts.split()))


def encoder(folder, words, seed=0, *, hidden=64, layers=2, dropout=0.0, longest=64):
    """Write a small BERT of random weights that knows these words.

    Its attention looks for like words from the start, keys being queries, and hardly at positions, so that a few
    hundred steps make a ranker of it; what it does with what it finds, it has to learn.
    """
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words])}
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=4,
        intermediate_size=2 * hidden, max_position_embeddings=longest, initializer_range=0.05,
        hidden_dropout_prob=dropout, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    net = BertModel(config)
    with torch.no_grad():
        net.embeddings.position_embeddings.weight.mul_(0.1)
        for layer in net.encoder.layer:
            attention = layer.attention.self
            attention.query.weight.normal_(0, 1.5 / hidden**0.5)
            attention.key.weight.copy_(attention.query.weight)
    net.save_pretrained(folder)
    BertTokenizerFast(vocab=vocabulary, model_max_length=longest).save_pretrained(folder)
    return folder
