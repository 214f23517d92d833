"""Set the formula of a docstring as MathML: ``sum over ranks i = 1..k of  omega(d_i) / log2(1 + i)``.

The notation is that of the measures' docstrings. Words that are no symbols become text, so any line can be set.
"""

import html
import re

TOKEN = re.compile(
    r"\s{2,}|\s|\d+(?:\.\d+)?|[A-Za-z](?:[A-Za-z0-9]|_(?=[A-Za-z0-9]))*(?:@[A-Za-z]+|'s\b|'(?=\s))?|'\w+'|\.\.|<=|>=|."
)
GREEK = {"omega": "ω", "alpha": "α", "gamma": "γ", "eps": "ε", "tau": "τ", "beta": "β"}
SIGNS = {"*": "·", "-": "−", "<=": "≤", ">=": "≥", "..": "…"}
RELATIONS = {"=", "<", ">", "<=", ">=", ",", ";", "..", ":"}
BIG = {"sum": "∑", "product": "∏"}
FUNCTIONS = {"ln", "log", "log2", "max", "min", "floor", "sign", "Var"}
NAMES = {"raw", "least", "most", "grade", "stop", "unfairness", "fairness", "relevance"}
SPACE = '<mspace width="0.2em"/>'


def set_formula(text: str) -> str:
    """Give the lines of a formula as one block of HTML."""
    return f'<div class="formula">{"".join(map(set_line, join_lines(text)))}</div>'


def join_lines(text: str) -> list[str]:
    """Join a line that goes on below with its continuation.

    >>> join_lines("N@k = sum of A\\n      / B\\nB = 1")
    ['N@k = sum of A / B', 'B = 1']
    """
    lines: list[str] = []
    for line in text.splitlines():
        if lines and line.startswith(" "):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.rstrip())
    return lines


def set_line(line: str) -> str:
    """Give one line as MathML.

    >>> set_line("p = a / n")
    '<math display="block"><mi>p</mi><mo>=</mo><mfrac><mi>a</mi><mi>n</mi></mfrac></math>'
    """
    return f'<math display="block">{_Line(line).whole()}</math>'


class _Line:
    """Reads a line from left to right."""

    def __init__(self, line: str) -> None:
        self.tokens = TOKEN.findall(line)
        self.at = 0

    def whole(self) -> str:
        parts = []
        while self.at < len(self.tokens):
            parts.append(self.expression(set()))
            if self.at < len(self.tokens):
                parts.append(_sign(self.take()))
        return "".join(parts)

    def peek(self) -> str:
        """Give the next piece that is no space, or nothing at the end."""
        at = self.at
        while at < len(self.tokens) and self.tokens[at].isspace():
            at += 1
        return self.tokens[at] if at < len(self.tokens) else ""

    def take(self) -> str:
        while self.tokens[self.at].isspace():
            self.at += 1
        self.at += 1
        return self.tokens[self.at - 1]

    def expression(self, ends: set[str]) -> str:
        """Read terms and the signs between them, up to one of the ends."""
        parts: list[str] = []
        behind_factor = False
        while (piece := self.peek()) and piece not in ends:
            is_sign = piece in RELATIONS or piece in "+-*/)]|@"
            parts += [SPACE] * (behind_factor and not is_sign)
            parts.append(_sign(self.take()) if is_sign else self.product(ends))
            behind_factor = not is_sign
        return "".join(parts)

    def product(self, ends: set[str]) -> str:
        """Read a factor, and what it is divided by."""
        first, inner = self.factor(ends)
        if self.peek() == "/" and "/" not in ends:
            self.take()
            _, bare = self.factor(ends)
            return f"<mfrac>{_row(inner)}{_row(bare)}</mfrac>"
        return first

    def factor(self, ends: set[str]) -> tuple[str, str]:
        """Read a factor; give it, and without the brackets around it."""
        piece = self.peek()
        if piece in ("(", "|", "["):
            self.take()
            close = {"(": ")", "[": "]", "|": "|"}[piece]
            inner = self.expression({close})
            if self.peek() == close:
                self.take()
            whole = f"<mrow><mo>{piece}</mo>{inner}<mo>{close}</mo></mrow>"
            whole = self.powered(whole)
            return whole, inner if piece == "(" and whole.endswith("</mrow>") else whole
        if piece in BIG and self.rest().startswith(" over "):
            big = self.big()
            if big:
                return big, big
        if self.is_symbol(piece):
            symbol = self.powered(self.symbol())
            return symbol, symbol
        words = self.words(ends)
        return words, words

    def rest(self) -> str:
        """Give the text behind the next piece."""
        at = self.at
        while self.tokens[at].isspace():
            at += 1
        return "".join(self.tokens[at + 1 :])

    def big(self) -> str:
        """Read a sum or product up to its body; give nothing if it has none."""
        begun = self.at
        sign = BIG[self.take()]
        self.take()  # over
        rest = "".join(self.tokens[self.at :])
        found = re.match(r"(.*?) of  ", rest) or re.match(r"(.*?) of ", rest)
        if found is None or found[1].count("(") != found[1].count(")"):
            self.at = begun
            return self.words(set())
        over, above = found[1].strip(), ""
        if " = " in over and ", .." not in over:
            below, _, above = over.partition("..")
            over = re.sub(r"^ranks (?=\w\b)", "", below)
        length = 0
        while length < found.end():
            length += len(self.tokens[self.at])
            self.at += 1
        under = _row(_Line(over).whole())
        kind, top = ("munderover", _row(_Line(above).whole())) if above else ("munder", "")
        return f'<mstyle displaystyle="true"><{kind}><mo>{sign}</mo>{under}{top}</{kind}></mstyle>'

    def powered(self, base: str) -> str:
        if self.at < len(self.tokens) and self.tokens[self.at] == "^":
            self.at += 1
            _, inner = self.factor(set())
            return f"<msup>{_row(base)}{_row(inner)}</msup>"
        return base

    def is_symbol(self, piece: str) -> bool:
        """Tell symbols from words: numbers, letters, names with an index, functions, what stands before a bracket."""
        if not re.match(r"[A-Za-z]", piece):
            return True
        if piece == "a" and not re.match(r"\)|\s*(?:of  |[,)^*+/=-]|$)", self.rest()) and not self.named():
            return False
        if len(piece) == 1 or piece in GREEK or piece in FUNCTIONS or "_" in piece or "@" in piece:
            return True
        behind = self.rest()
        return behind.startswith("(") or (piece in NAMES and not re.match(r" [A-Za-z(]", behind))

    def named(self) -> bool:
        """Look whether the word before says that ``a`` is a name: group a."""
        before = [each for each in self.tokens[: self.at] if not each.isspace()]
        return bool(before) and before[-1] in ("group", "groups")

    def symbol(self) -> str:
        """Read a symbol with its index, and what it is applied to."""
        piece = self.take()
        if re.match(r"\d", piece):
            return f"<mn>{piece}</mn>"
        if piece.startswith("'"):
            return f"<mtext>{html.escape(piece[1:-1])}</mtext>"
        if not re.match(r"[A-Za-z]", piece):
            return _sign(piece)
        name, at, cutoff = piece.partition("@")
        base, _, index = name.partition("_")
        text = _name(base) if name != "log2" else "<msub><mi>log</mi><mn>2</mn></msub>"
        if len(index) == 1:
            text = f"<msub>{text}{_name(index)}</msub>"
        elif index:
            text = _name(name)
        if at:
            text = f"<mrow>{_name(name)}<mtext>@</mtext>{_name(cutoff)}</mrow>"
        if self.at < len(self.tokens) and self.tokens[self.at] in ("(", "["):
            open_ = self.tokens[self.at]
            close = {"(": ")", "[": "]"}[open_]
            self.at += 1
            inner = self.expression({close})
            if self.peek() == close:
                self.take()
            return f"<mrow>{text}<mo>&#x2061;</mo><mo>{open_}</mo>{inner}<mo>{close}</mo></mrow>"
        return text

    def words(self, ends: set[str]) -> str:
        """Read words, and the symbols among them, up to a sign."""
        parts: list[str] = []
        run: list[str] = []
        before = "".join(self.tokens[: self.at]).rstrip()[-1:]
        while (piece := self.peek()) and piece not in ends and re.match(r"[A-Za-z0-9']", piece):
            if piece in BIG and parts + run and self.rest().startswith(" over "):
                break
            if self.is_symbol(piece) and parts + run:
                if run and run[-1] == "of" and self.rest().lstrip().startswith("/"):
                    break
                parts += [_text(run, space=bool(parts) or before.isalnum())] * bool(run)
                run = []
                parts.append(self.symbol())
                continue
            run.append(self.take())
            if self.at < len(self.tokens) and re.fullmatch(r"\s{2,}", self.tokens[self.at]):
                break  # what begins behind two spaces is a formula
        parts += [_text(run, space=bool(parts) or before.isalnum(), end=self.peek() in ("", *ends, *RELATIONS))] * bool(
            run
        )
        return f"<mrow>{''.join(parts)}</mrow>"


def _text(words: list[str], *, space: bool, end: bool = False) -> str:
    """Set words; ``space`` is whether a symbol is before them, and ``end`` whether none is behind."""
    return f"<mtext>{'&nbsp;' * space}{html.escape(' '.join(words), quote=False)}{'&nbsp;' * (not end)}</mtext>"


def _name(name: str) -> str:
    if re.fullmatch(r"\d+", name):
        return f"<mn>{name}</mn>"
    name = GREEK.get(name, name)
    return f"<mi>{name}</mi>" if len(name) == 1 else f'<mi mathvariant="normal">{html.escape(name)}</mi>'


def _sign(piece: str) -> str:
    if piece == "@":
        return "<mtext>@</mtext>"
    space = ' lspace="0" rspace="0.6em"' if piece in (",", ";") else ""
    return f"<mo{space}>{html.escape(SIGNS.get(piece, piece))}</mo>"


def _row(inner: str) -> str:
    """Join several nodes in one."""
    return inner if re.fullmatch(r"<(m\w+)(?: [^>]*)?>[^<]*</\1>", inner) else f"<mrow>{inner}</mrow>"
