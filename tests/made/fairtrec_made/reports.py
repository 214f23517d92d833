"""A result of made-up values, and its page taken apart."""

import json
from html.parser import HTMLParser
from importlib import import_module

import numpy as np

from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.measures.catalogue import registry
from fairtrec_made import notes_of
from fairtrec_made.measures import Count, Higher, Lower, Nearer

NAN, INF = float("nan"), float("inf")
VOID = {"meta", "link", "img", "input", "br", "hr", "base"}


class Page(HTMLParser):
    """Every element with its attributes and its text; raises if one is not closed, or closed without being open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements = [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs)
        found = {"tag": tag, "text": "", **dict(attrs)}
        self.elements.append(found)
        if tag not in VOID:
            self.open.append(found)

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, tag, **attributes):
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [e for e in self.elements if e["tag"] == tag and wanted.items() <= e.items()]

    def one(self, tag, **attributes):
        (found,) = self.all(tag, **attributes)
        return found

    @property
    def data(self):
        return json.loads(self.one("script", id="data")["text"])


MEASURES = (*registry.parse("nDCG@10"), Higher(), Lower(), Nearer(), Count())
VALUES = [  # [run][measure][query]
    [[0.5, 0.7], [0.2, 1 / 3], [0.4, 0.4], [-0.3, 0.1], [2, 3]],
    [[0.9, 0.7], [0.2, 0.1], [0.5, 0.6], [0.3, 0.1], [2, 4]],
    [[0.1, 0.2], [0.1, 0.1], [0.5, 0.6], [0.4, 0.4], [2, 2]],
    [[NAN, NAN], [0.3, NAN], [0.4, INF], [0.4, 0.4], [1, 1]],
]


def result_of(values=VALUES, measures=MEASURES, names=None, qids=("q1", "q2"), notes=(), tags=None):
    scores = [
        Scores(
            names[at] if names else f"runs/{'abcdefgh'[at]}.run",
            tags[at] if tags else "t",
            measures,
            tuple(qids),
            np.array(each, float),
        )
        for at, each in enumerate(values)
    ]
    return Result(tuple(scores), Signature.read("fairtrec:1 | order:score"), tuple(notes_of(*notes)), {})


def every_kind():
    """The formats of each kind of answer, and those that a command alone has."""
    from fairtrec import commands
    from fairtrec.report import writers

    places = [writers, *(import_module(row.package) for row in commands.list_rows())]
    return [kind for place in places for kind in vars(place).values() if isinstance(kind, writers.FormatTable)]
