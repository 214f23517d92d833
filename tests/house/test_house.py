"""The house: what pyproject.toml holds of the files' imports also holds of what is imported by name at run time."""

import ast
import tomllib

import grimp
import pytest

from fairtrec.evaluation.given import GIVEN
from fairtrec_made import REPOSITORY
from fairtrec_made.sources import parse

PACKAGE = REPOSITORY / "fairtrec"
CONTRACTS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
(LAYERS,) = [contract["layers"] for contract in CONTRACTS if contract["type"] == "layers"]
PAIRS = next(contract for contract in CONTRACTS if contract["name"].startswith("Commands import no command"))
TYPED = ("fairtrec.testing", "fairtrec.lab.rerank.contract")  # of type checkers; a command offers it at run time


def said_by(tree):
    """The strings and the calls of a file."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.Call)]
    strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return strings, [node for node in nodes if isinstance(node, ast.Call)]


def imports_of(name, calls):
    """What the calls of import_module in a file are given, or would be by those of ``import_late``."""
    calls = [] if name == "fairtrec.support.late_imports" else calls
    late = [call for call in calls if getattr(call.func, "id", "") == "import_late"]
    within = [next((each.value.value for each in call.keywords), name) for call in late]
    named_so = [
        call for call in calls if "import_module" in (getattr(call.func, "id", ""), getattr(call.func, "attr", ""))
    ]
    given = [call.args[0] for call in named_so]
    return [*given, *(ast.JoinedStr([ast.Constant(f"{package}.")]) for package in within)]


def named(what, strings, modules):
    """The modules that ``import_module(what)`` may mean: those that one of these strings names, as it is begun there.

    ``import_module(f"fairtrec.report.{name}")`` imports each module of report/ that a string names, be it as ``name``,
    ``room.name``, ``fairtrec.room.name`` or ``name:function``.
    """
    if isinstance(what, ast.Constant):
        return {what.value} & modules
    first = what.values[0] if isinstance(what, ast.JoinedStr) else what
    beginning = first.value if isinstance(first, ast.Constant) else ""
    last = what.values[-1] if isinstance(what, ast.JoinedStr) else first
    ending = last.value if isinstance(last, ast.Constant) and last is not first else ""
    words = {text.partition(":")[0].replace("-", "_") for text in strings}
    meant = {whole + ending for word in words for whole in (beginning + word, f"fairtrec.{word}", word)}
    return {whole for whole in meant & modules if whole.startswith(beginning)}


def add_imports_by_name(graph):
    """Add them to the graph, for each file that calls import_module, or holds the full name of a module.

    The names stand in the file itself, or else in one that it imports: a table, which by this imports nothing.
    """
    modules = graph.modules - {"fairtrec", "fairtrec.commands"}  # a word, too, and a group of entry points
    said = {module_of(file): said_by(parse(file.read_text())) for file in PACKAGE.rglob("*.py")}
    added, tables = [], set()
    for name, (strings, calls) in said.items():
        for what in imports_of(name, calls):
            meant = named(what, strings, modules)
            if not meant and not isinstance(what, ast.Constant):
                beside = graph.find_modules_directly_imported_by(name)
                of_table = {table: named(what, said[table][0], modules) for table in beside}
                tables |= {table for table, names in of_table.items() if names}
                meant = set().union(*of_table.values())
                assert meant, f"{name}: nothing says which module import_module({ast.unparse(what)}) imports"
            added += [(name, imported) for imported in meant]
    for name in said.keys() - tables:
        added += [(name, text) for text in said[name][0] & modules]
    for importer, imported in added:
        if importer != imported:
            graph.add_import(importer=importer, imported=imported)


def module_of(file):
    parts = file.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.fixture(scope="module")
def house():
    """Which module imports which, by statement or by name."""
    graph = grimp.build_graph("fairtrec", cache_dir=None)
    if TYPED[1] in graph.modules:
        graph.remove_import(importer=TYPED[0], imported=TYPED[1])
    add_imports_by_name(graph)
    return graph


@pytest.mark.long
def test_imports_by_name_are_seen(house):
    """Without these, the tests below would hold of the statements alone, as import-linter's contracts do."""
    assert "fairtrec.commands.eval" in house.find_modules_directly_imported_by("fairtrec.commands")
    assert "fairtrec.commands.eval.topic_tables" in house.find_modules_directly_imported_by("fairtrec.commands.eval")
    assert "fairtrec.measures.nfairr" in house.find_modules_directly_imported_by("fairtrec.measures")
    assert "fairtrec.measure.group_forms" in house.find_modules_directly_imported_by("fairtrec.measure")
    assert "fairtrec.evaluation.evaluate" in house.find_modules_directly_imported_by("fairtrec")
    reports = {name for name in house.modules if name.startswith("fairtrec.report.")}
    assert any(
        len(reports & house.find_modules_directly_imported_by(name)) > 6  # the writers, in a table of one file
        for name in reports
    )


def illegal(graph, layers):
    """Which imports go up from a layer to one above it, or across within it."""
    return [(each.importer, each.imported) for each in graph.find_illegal_dependencies_for_layers(layers)]


def test_a_file_imports_only_from_the_layers_below_it(house):
    layers = [set(layer.split(" | ")) for layer in LAYERS]
    assert set().union(*layers) == house.find_children("fairtrec") - {"fairtrec.__main__"}, "each stands in one layer"
    assert not illegal(house, layers)


def test_measures_never_import_each_other_nor_do_rerankers(house):
    measures = house.find_children("fairtrec.measures") - {"fairtrec.measures.catalogue"}  # which is the table of both
    assert not illegal(house, [measures])
    if "fairtrec.lab.rerankers" in house.modules:
        assert not illegal(house, [house.find_children("fairtrec.lab.rerankers")])


def test_commands_import_each_other_in_named_pairs_only(house):
    allowed = {tuple(each.replace(".**", "") for each in pair.split(" -> ")) for pair in PAIRS["ignore_imports"]}
    rooms = [room for room in ("fairtrec.commands", "fairtrec.lab", "fairtrec.lab.make") if room in house.modules]
    folders = {name for room in rooms for name in house.find_children(room)} - {"fairtrec.lab.make"}
    inside = {name: {name, *house.find_descendants(name)} for name in folders}
    found = {
        (one, other)
        for one, its in inside.items()
        for other, theirs in inside.items()
        if one != other and any(house.find_modules_directly_imported_by(name) & theirs for name in its)
    }
    assert found == allowed


def test_no_two_siblings_import_each_other_in_a_circle(house):
    circles = {name: house.nominate_cycle_breakers(name) for name in house.modules if house.find_children(name)}
    assert not any(circles.values()), {name: sorted(each) for name, each in circles.items() if each}


def test_no_package_imports_what_imports_it(house):
    for name in house.modules:
        if not house.find_children(name) or name == "fairtrec":
            continue
        within = house.find_downstream_modules(name) & house.find_upstream_modules(name)
        assert not within, f"{name} imports {sorted(within)}, which import it"


def test_folders_with_code_are_packages():
    assert all(
        (path / "__init__.py").is_file() for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))
    )


ENGINES = {  # of evaluation: what each may name that is called as a thing given is, and why
    "plan": {},
    "session": {
        "counts": "the table of documents, of any thing that says their groups",
        "queries": "the wanted ones of the context, for the short way of dicts",
    },
    "signature": {},
    "columns/__init__": {},
    "inputs/measure_inputs": {
        "counts": "the counts of a histogram, a field of it",
        "queries": "the number of queries, an input of measures",
    },
}


def names_in(path):
    """Find the names, keywords and texts of a file, but for docstrings and annotations."""
    tree = parse(path.read_text("utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=name):
                yield name
            case ast.Constant(value=str(name)) if id(node) not in docstrings:
                yield name


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_ask_what_is_given_and_name_none_of_it(engine):
    named = {*names_in(PACKAGE / "evaluation" / f"{engine}.py")}
    assert named & {*GIVEN} == {*ENGINES[engine]}, "rename the thing, or the variable that is called as it is"
