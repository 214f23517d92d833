"""What ``her`` and ``his`` become, by the words around them.

The pronoun ``her`` is him (she saw her) or his (her book), and ``his`` is hers (it was his) or her (his book). A rule
over the next words, the one before, and short lists of words tells them apart; no part of speech is looked up.
"""

import re

AROUND = 160  # bytes of the text that are looked at on either side
_NEXT = re.compile(r"(\s*)([\"'(\[{\u2018\u201c\u00ab]?)(\w+)?(-\w)?")
_WORD = re.compile(r"\W*?(\w+)")
_BACKWARDS = re.compile(r"\s+(\w+)")
_ENDS_HIS = re.compile(r"\s*(?:[.,;:!?)]|\Z)")
_BESIDE_HIS = re.compile(r"\s+(?:and|or|nor)\s+(?:mine|yours|hers|ours|theirs)\b", re.IGNORECASE)
_BE = frozenset(("is", "was", "are", "were"))


def resolve_his(before: str, after: str) -> str:
    """Tell what ``his`` becomes: hers or her.

    >>> resolve_his("", " book."), resolve_his("", "."), resolve_his("", " was better"), resolve_his("", " and hers")
    ('her', 'hers', 'hers', 'hers')
    >>> resolve_his("a friend of ", " came"), resolve_his("a friend of ", " mother came")
    ('hers', 'her')
    """
    if _ENDS_HIS.match(after) or _BESIDE_HIS.match(after):
        return "hers"
    found = _NEXT.match(after)
    following = (found[3] or "").lower() if found is not None and found[1] and not found[2] and not found[4] else ""
    if following in _BE:
        return "hers"
    of = _BACKWARDS.match(before[::-1])
    is_alone = of is not None and of[1].lower() == "fo" and following in AFTER_HERS
    return "hers" if is_alone else "her"


def resolve_her(before: str, after: str) -> str:
    """Tell what ``her`` becomes: him or his.

    >>> resolve_her("I saw ", " yesterday"), resolve_her("I saw ", " mother")
    ('him', 'his')
    >>> resolve_her("let ", " go"), resolve_her("with ", ".")
    ('him', 'him')
    """
    found = _NEXT.match(after)
    assert found is not None
    blank, opening, word, compound = found.groups()
    if after.startswith("/his"):
        return "his"
    if not word or (opening and not blank) or not blank:
        return "him"
    return "him" if _is_object(before, word.lower(), after[found.end(3) :], compound) else "his"


def _is_object(before: str, word: str, rest: str, compound: str | None) -> bool:  # noqa: PLR0911 - a rule after the other
    """Tell whether the word behind ``her`` begins something else; ``rest`` is what stands behind that word."""
    last = _BACKWARDS.match(before[::-1])
    previous = last[1][::-1].lower() if last else ""
    behind = _WORD.match(rest)
    following = behind[1].lower() if behind and behind.start(1) == len(rest) - len(rest.lstrip()) else ""
    if word == "back":
        return previous not in BEFORE_BACK
    if word in OWNED:
        return word == "home" and previous in LEADING
    if compound:  # her so-called friend
        return False
    if word in FUNCTION:
        return True
    if word in ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in NOT_VERBS):
        return not following or following in FUNCTION or following in ("much", "well")
    if word in ("last", "next") and following in TIMES:
        return True
    if previous in HELPING:
        return True
    if previous in SEEING and word.endswith(("ing", "ed")) and word not in NOT_VERBS:
        return True
    return previous in GIVING and (word in NUMBERS or word[0].isdigit())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# No noun phrase begins with these, so that her before them stands alone: saw her in, gave her the, told her that.
FUNCTION = _words("""
about above across after against along alongside amid among amongst around as at before behind below beneath beside
besides between beyond by concerning despite during except for from in including into near of off on onto out outside
over per regarding since than through throughout till to toward towards under underneath until unto up upon versus via
vs with within without
a an the
i you he she it we they me him us them himself herself myself yourself itself ourselves themselves my your our their
its his her hers mine yours ours theirs this that these those who whom whose which what whatever whoever something
anything nothing everything someone anyone everyone somebody anybody everybody nobody one none any some each either
neither both all another enough
and but or nor so yet because although though unless whereas while whilst if whether when whenever where wherever why
how however therefore thus
am is was are were be been has have had having do does did doing can could shall should will would may might must
cannot can't couldn't didn't doesn't don't hadn't hasn't haven't isn't wasn't weren't won't wouldn't
not again already also always anymore anyway anywhere apart aside away down elsewhere even everywhere forever forth
forward hence here indeed instead just maybe meanwhile moreover never nevertheless now nowhere often otherwise perhaps
quite rather right seldom sometimes somewhat somewhere soon straight then there today together tomorrow tonight too
twice yesterday aboard abroad ahead alone online upstairs downstairs inside
""")

# No noun is behind of his (a friend of his) where one of these follows: verbs that are no nouns or adjectives, too.
AFTER_HERS = _words("""
who whom whose which that is was are were has had have having do does did can could shall should will would may might
must and or but nor so because although though unless whereas while whilst if whether when whenever where wherever
in on at to from with without for by during until till since as into onto
came comes went goes said says told tells took takes gave gives became becomes began begins knew knows wrote writes
sat stood ran asked asks got gets heard died
""")

# These stand alone (loved her more than) as often as before an adjective (her more recent books): what follows decides.
ADVERBS = _words("very more most less least much once ever only still almost so better best later")

# Her before these is possessive, whatever stands before: kinship, the body, what one has.
OWNED = _words("""
own mother mothers father fathers mom mum dad parents parent husband husbands wife wives son sons daughter daughters
child children kid kids baby babies brother brothers sister sisters siblings uncle aunt cousin cousins nephew niece
grandmother grandfather grandparents grandson granddaughter grandchildren family boyfriend girlfriend fiancé partner
friend friends life death home house name age career job work
body head face hair eyes eye ears ear nose mouth lips lip teeth tongue neck throat shoulder shoulders arm arms hand
hands finger fingers chest breast breasts heart stomach belly waist hips leg legs knee knees foot feet toes skin voice
mind blood womb
""")

HELPING = _words("let lets letting help helps helped helping")
SEEING = _words("""
keep keeps kept keeping see sees saw seen seeing make makes made making hear hears heard hearing watch watches watched
watching find finds found finding catch catches caught catching leave leaves left leaving get gets got getting have has
had having feel feels felt feeling notice notices noticed spot spotted want wants wanted like liked remember remembers
remembered imagine start started stop stopped send sent show shows showed shown
""")
GIVING = _words("""
give gives gave given giving tell tells told telling pay pays paid paying cost costs costing sell sells sold selling
lend lends lent offer offers offered offering owe owes owed send sends sent sending buy buys bought show shows showed
took take takes earn earns earned save saves saved win wins won award awarded ask asks asked hand handed bring brought
""")
NUMBERS = _words("""
two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy eighty ninety
hundred thousand million half several many
""")
TIMES = _words("""
night week weekend month year summer winter spring autumn fall monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
""")
LEADING = _words("take takes took taking drive drives drove bring brings brought send sends sent walk walked follow "
                 "followed escorted carried see saw call called")  # fmt: skip
BEFORE_BACK = _words("on in at behind against down up across hurt hurts broke broken injured strained arched turned "
                     "turns turning lower of with and rubbed scratched through around")  # fmt: skip

# What ends as a verb or an adverb does, and is neither.
NOT_VERBS = _words("""
wedding building clothing ring thing king wing evening morning painting earring feeling training upbringing writing
writings being drawing drawings beginning engagement ending belongings understanding teaching teachings meeting savings
offspring darling sibling bed hundred family early elderly daily weekly monthly only lovely friendly lonely ugly holy
silly jelly belly assembly supply reply bully deadly costly lively likely unlikely homely motherly fatherly womanly
beloved deceased aged red naked wicked sacred so-called
""")
