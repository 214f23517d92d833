"""What tests of all commands find in the folder of each command: recorded outputs, and what to try.

``tests/commands/NAME`` mirrors ``fairtrec/commands/NAME``, and ``tests/lab/NAME`` mirrors ``fairtrec/lab/NAME``. Its
``golden/*.txt`` are recorded outputs; those of ``eval`` lie in ``tests/cli/golden``. Its ``trials.py`` declares what shared tests try: each name in it is
one of ``DECLARATIONS``.
"""

from functools import cache
from importlib.util import module_from_spec, spec_from_file_location

from fairtrec import commands
from fairtrec_made import EXAMPLE, REPOSITORY

TESTS = REPOSITORY / "tests"
ROOMS = (TESTS / "commands", TESTS / "lab")
CORE_GOLDENS = REPOSITORY / "tests" / "cli" / "golden"

DECLARATIONS = {  # the test that gathers a name, and what it holds
    # two options with each other: tests/cli/test_pairs.py
    "SITUATIONS": "the words of a command, and options that it has already, to which options are added",
    "SLOW_SITUATIONS": "beginnings of situations that only `make fuzz` tries",
    "VALUES": "an option: a value to try that is not its default",
    "OTHER_VALUES": "a command and an option: a value to try in this command",
    "UNCHANGED": "an option that changes no output here, alone or behind its command: why",
    "MAYBE_DROPPED": "an option that may change no output: why",
    "NOTHING_TO_SHOW": "a command and two options that together show nothing here: why",
    "UNTRIED": "a command without a situation: why",
    # bad input and strangers
    "LINKED_RUNS": "tests/cli/test_untrusted.py: commands that read eve.run, a link",
    "REPORTS": "tests/cli/test_terminal.py: words of commands that print names with escapes",
    "DRAWN_TEXTS": "tests/cli/test_terminal.py: formats whose text is drawn for a terminal",
    "PIPES": "tests/cli/test_pipes.py: a file that is read twice, what the refusal says, and the command",
    "REPLAY_ATTACKS": "tests/lab/report/test_replay.py: a file that is planted, of what it is a copy, arguments that lead to it",
    "CORRUPTED": "tests/cli/test_fuzz.py: the file that is corrupted: commands that read it",
    "ODD_NAMES": "tests/cli/test_hostile_names.py: a kind of file: commands that read it as N",
    "ODD_OUTPUTS": "tests/cli/test_hostile_names.py: commands that write N",
    "ANY_BYTES": "tests/cli/test_hostile_names.py: commands that read a file whose name is no text",
    "BOMBS": "tests/cli/test_hostile_input.py: commands that read bomb.gz",
    "HUGE_VALUES": "tests/cli/test_hostile_input.py: commands that read huge.txt and small.txt",
    "HOSTILE_FOLDERS": "tests/cli/test_hostile_folder.py: commands that start processes",
    "STRANGE_FOLDERS": "tests/cli/test_hostile_folder.py: commands in a folder of files named like words",
    "CI_JOBS": "tests/cli/test_runners.py: commands of a job on *.run",
    "LONG_NUMBERS": "tests/support/files/test_typed.py: commands that read a number of 5000 digits",
    "REFUSED_OUTPUTS": "tests/security/test_folders.py: a command that is refused, and leaves no folder or file new",
    "READING_ANY_FILE": "tests/security/test_code.py: commands that read FILE, whatever it holds",
    "READING_ANY_WORD": "tests/security/test_code.py: commands that refuse WORD",
    "FOLDER_OUTPUTS": "tests/security/test_outputs.py: commands that write a file for the run {0} to out/",
    "FILE_OUTPUTS": "tests/security/test_outputs.py: commands that write the file that follows",
    "READ_AND_WRITTEN": "tests/security/test_outputs.py: a command that writes OUT, or to -o, and a file that it reads",
    "WRITTEN_IN_PARTS": "tests/security/test_faults.py: commands whose files are written again as each part ends",
    "DIES_WITHOUT_MEMORY": "tests/security/test_faults.py: names in WRITING of commands whose library dies: why",
    "WRITING": "tests/security/test_faults.py: a command that writes to old.txt, old.tsv, old.arrow, old.run or new; small/ has FILES",
    "FAILING_OUTPUTS": "tests/security/test_folders.py: a command that cannot write, and leaves no folder new",
    "FOLDERS_OF_RUNS": "tests/support/files/test_folders.py: words before a folder of runs",
    "LISTS_OF_RUNS": "tests/evaluation/test_batch.py: words that read @list",
    # what commands say
    "WINDOWS": "tests/cli/test_terminal_widths.py: commands that print tables; QRELS, RUN, RUNS and TEXTS are the example's",
    "LOOKED_UP": "tests/report/test_widths.py: commands that print texts",
    "TABLES": "tests/report/test_widths.py: a function of runs and their result that gives formats and an answer with tables",
    "LINES": "tests/report/test_widths.py: a function of runs that gives formats, an answer in lines, and view options",
    "ANSWERS": "tests/report/test_answers.py: a function that makes an answer in the example's folder",
    "PRINTED": "tests/report/test_answers.py: the words that print the answer of the same name",
    "SMALL_ANSWERS": "docs/schema_page.py: a function of small inputs that gives an answer whose JSON keys are listed",
    "RECORDED_JSON": "docs/schema_page.py: words of a command whose recorded JSON has the keys that are listed",
    "KEY_MEANINGS": "docs/schema_page.py: a key of JSON, with the command before it if others have one of this name: what it means",
    "WITHOUT_RUNS": "tests/report/test_answers.py: answers that list no runs",
    "ROWS_ONLY": "tests/report/test_answers.py: answers whose JSON is rows",
    "OTHER_ANSWERS": "tests/report/test_answers.py: places of classes of answers that only commands make",
    "NO_ANSWERS": "tests/report/test_answers.py: public functions that give no answer",
    "ONE_ATTRIBUTE": "tests/cli/test_attributes.py: words without the inputs, and the line that refuses two attributes",
    "ONE_BASELINE": "tests/commands/compare/test_all_pairs.py: commands that take one baseline",
    "ONE_MEASURE": "tests/cli/test_given_once.py: commands of one measure",
    "MISTYPED": "tests/cli/test_ends.py: words that nobody knows, and the hint",
    "LIST_NAMES": "tests/support/resources/test_names.py: commands that report and read the list NAME",
    "OTHER_LIST_NAMES": "tests/support/resources/test_names.py: commands that report nothing and read the list NAME",
    "JUDGED_HINTS": "tests/evaluation/test_only.py: commands that hint at --only judged",
    "JUDGED_QUERIES": "tests/evaluation/test_judged_queries.py: a command with QRELS that takes --queries judged",
    "HIDING_COLUMNS": "tests/cli/test_terminal_widths.py: names in WINDOWS of commands that may leave out columns",
    "INTERVALS": "tests/cli/test_surface.py: commands with --confidence and --interval",
    "OWN_INTERVALS": "tests/cli/test_surface.py: commands with --confidence and one kind of interval",
    "SHORT_HELP": "tests/cli/test_help.py: commands with a short help",
    "RANKER_STORIES": "tests/lab/make/ranker: page, section and command behind training, and what it prints",
    "OTHER_FILES": "tests/house/test_docs.py: words of examples that need files of the reader",
    "OFFERED": "tests/cli/test_completion.py: typed words, and what a shell offers",
    "LONG_LINES": "tests/cli/test_bounds_of_input.py: what the file large holds, and the command that reads it",
    "MANY_NAMES": "tests/cli/test_bounds_of_input.py: a command, the columns of the file many, and the refusal",
    "PACKED_BOMBS": "tests/formats/test_bounded.py: a file: how it is written, how large, and how it is read",
    "WORST_FILES": "fairtrec_made/worst_files.py: a form of file that only this command reads: a WorstForm",
    "EMPTY_TABLES": "tests/formats/test_empty.py: the columns of FILE, and the command that reads it",
    "ODD_LENGTHS": "tests/formats/test_lengths.py: a file: how it is written and read",
    "TYPED_LINES": "tests/support/files/test_typed.py: a line of JSON, its file, and the command that reads it",
    "JSON_READERS": "tests/cli/test_json_keys.py: a kind of file: two lines of JSON, and the commands that read FILE",
    "STRANGE_LINES": "tests/cli/test_hostile_types.py: a file: its line of JSON, and the commands that read it",
    "STARTING": "tests/house/test_imports.py: words of a command on c.tsv that starts processes",
    "IMPORTING": "tests/house/test_imports.py: large libraries, and commands that import no other",
    "REFUSED_ROLES": "tests/formats/test_column_roles.py: words with a role of a column that does nothing there, and the refusal",
    "RANKED_ANEW": "tests/formats/test_positions_of_runs.py: words of commands that number ranks anew, and the refusal",
    "ENDINGS": "tests/report/test_endings.py: words that end in a file with an ending, and how it begins",
    "UNFIT_ENDINGS": "tests/report/test_endings.py: words that end in a file whose ending fits no format, and the refusal",
    "REPLAYED": "tests/commands/results/test_moved.py: words that write out/a.json or out/study/report.json",
    # evaluation
    "BY_MEANS": "tests/measures/test_retrievability.py: commands that refuse a measure without values of queries",
    "EXCHANGING": "tests/measures/test_group_utility.py: commands that refuse utility by one group",
    "EVALUATING": "tests/evaluation/inputs/test_options.py: commands with the choices of eval",
    "FIRST_VALUES": "tests/evaluation/test_one_value.py: a function of what is asked that gives the value to begin with",
    "JUST_REFUSALS": "tests/evaluation/test_one_value.py: whether a refusal is just, or None",
    "BEGINNINGS": "tests/evaluation/test_new_choice.py: words that print JSON, and how to take the first value from it",
    "NEW_OPTION": "tests/evaluation/test_new_choice.py: words that vary --min-tokens, and how to take the value",
    "REFUSING": "tests/evaluation/inputs/test_options.py: a function of a measure, a run, qrels and a choice it refuses",
    "NO_GOLD": "tests/evaluation/test_gold.py: functions of a run and labels that refuse gold labels",
    "NO_GOLD_RESULT": "tests/evaluation/test_gold.py: functions of a corrected result that refuse it",
    "NO_AGGREGATE": "tests/evaluation/answers/test_aggregates.py: functions of keywords that refuse an aggregate",
    "NO_AGGREGATE_RESULT": "tests/evaluation/answers/test_aggregates.py: functions of a result that refuse aggregates",
    "DIVISORS": "tests/house/test_divisors.py: a file: the sums that it divides by, and why these are 0 only if exactly 0",
    "ROUNDED_IDEALS": "tests/evaluation/test_zero_divisors.py: functions of runs, qrels and inputs that give an answer",
    "COMMON_QUERIES": "tests/evaluation/test_common_queries.py: a command and its words behind qrels and runs",
    "SAME_QUERIES": "tests/cli/test_marks_of_other_queries.py: words, and the parts of JSON that go by shared queries",
    "PAIRED_QUERIES": "tests/cli/test_marks_of_other_queries.py: words of a command that compares pairs",
    "OTHER_FORMS": "tests/formats/test_other_runs.py: commands that read runs of any format",
    "SEVERAL_RANKINGS": "tests/formats/test_fair_runs.py: commands that refuse several rankings of a query",
    "MEASURED": "benchmarks/commands.py: a command: its words, of which INPUTS of that module and OUT are replaced",
    "SAME_BYTES": "tests/machines/outputs.py: commands with the same bytes on every machine",
    "NEEDED_LIBRARY": 'tests/house/test_light.py: the library that a command needs, or ""',
    "MISSING_LIBRARY": "tests/house/test_light.py: a library: commands that name it if it is not installed",
}

WORDS = {"terms": "gender-en", "docs": EXAMPLE / "collection.tsv", "background": EXAMPLE / "background.run"}
EXAMPLE_QRELS = EXAMPLE / "qrels.txt"
GIVEN = {"terms": "gender-en", "docs": "collection.tsv", "background": "background.run"}  # in the example's folder
SHELL = ["--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"]
MAJORITY = {"terms": "gender-en", "docs": "collection.tsv", "membership": "majority"}
TWO = ["bm25.run", "neural.run"]


def evaluate_both(**more):
    """Evaluate two runs in the example's folder."""
    import fairtrec

    return fairtrec.evaluate("nDCG@10 NFaiRR@10", TWO, qrels="qrels.txt", **GIVEN, **more)


def list_goldens():
    """List the files of recorded outputs, those of the core and of every command, by their names."""
    found = [path for room in (CORE_GOLDENS.parent, *ROOMS) for path in room.rglob("golden/*.txt")]
    named = {path.stem: path for path in found}
    assert len(named) == len(found), "two recorded outputs have the same name; rename one"
    return [named[name] for name in sorted(named)]


@cache
def load_trials():
    """Import the trials of each command: the folder of its tests, and what they declare."""
    found = {}
    for path in (path for room in ROOMS for path in sorted(room.rglob("trials.py"))):
        name = "_".join(["trials", *path.relative_to(TESTS).parts[:-1]])
        spec = spec_from_file_location(name, path)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        found[path.parent] = {each: value for each, value in vars(module).items() if each in DECLARATIONS}
    return found


def gather_trials(name, core=()):
    """Join what the core and all commands declare under a name: lists one after the other, tables by their keys.

    Two tables may have the same key: lists in it are joined, and any other value must be the same.
    """
    assert name in DECLARATIONS, name
    declared = [core] if core else []
    declared += [trials[name] for trials in load_trials().values() if name in trials]
    if declared and not isinstance(declared[0], dict):
        return [each for several in declared for each in several]
    joined = {}
    for key, value in (pair for table in declared for pair in table.items()):
        if isinstance(value, list) and key in joined and name in ("CORRUPTED", "ODD_NAMES", "MISSING_LIBRARY"):
            joined[key] = [*joined[key], *value]
        else:
            assert joined.setdefault(key, value) == value, f"{name}: two commands declare {key}"
    return joined


def find_folder(command):
    """Find the folder of the tests of a command."""
    return TESTS.joinpath(*commands.load_row(command).package.split(".")[1:])


def find_tests(name, key):
    """Find the folder of the command that declares a key of a table, or None for the core."""
    return next((folder for folder, trials in load_trials().items() if key in trials.get(name, ())), None)
