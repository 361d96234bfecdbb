"""The house rules that no linter knows: sizes, documentation, what stays out of the repository."""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import core.errors
from core.expression import FUNCTIONS

ROOT = Path(__file__).parent.parent
FOLDERS = ("config", "mcp_runtime", "toolbuilder", "tools", "catalog", "access", "gateways", "core")
MODULES = sorted(
    path
    for folder in (*FOLDERS, "agents", "examples", "tests", "benchmarks", "release")
    for path in (ROOT / folder).rglob("*.py")
    if not {"node_modules", "migrations"} & set(path.parts)
)
PRODUCT = [path for path in MODULES if path.relative_to(ROOT).parts[0] in (*FOLDERS, "agents")]
MODULE_LINE_LIMIT = 450
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
TEMPLATE_WIDTH = 160


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """The modules of the product parsed."""
    return {path: ast.parse(path.read_text()) for path in PRODUCT}


@pytest.fixture(scope="module")
def product_nodes(trees: dict[Path, ast.Module]) -> dict[Path, list[ast.AST]]:
    """All that is in the modules of the product: walking takes as long as parsing."""
    return {path: list(ast.walk(trees[path])) for path in PRODUCT}


def test_modules_are_short() -> None:
    lines = {name_of(path): len(path.read_text().splitlines()) for path in MODULES}

    assert lines
    assert {name: count for name, count in lines.items() if count > MODULE_LINE_LIMIT} == {}


def test_modules_say_what_they_hold() -> None:
    begins_with_a_docstring = re.compile(r'(?:#.*\n|\s)*"""\S')

    assert [
        name_of(path) for path in MODULES if not begins_with_a_docstring.match(path.read_text())
    ] == []


def test_few_functions_are_chopped_off_their_only_caller(
    product_nodes: dict[Path, list[ast.AST]],
) -> None:
    """A private function that its module names once is a paragraph with a name: few deserve one."""
    functions = chopped = 0
    for nodes in product_nodes.values():
        named = Counter(
            node.id if isinstance(node, ast.Name) else node.attr
            for node in nodes
            if isinstance(node, (ast.Name, ast.Attribute))
        )
        names = [node.name for node in nodes if isinstance(node, FUNCTION)]
        functions += len(names)
        chopped += sum(
            name.startswith("_") and not name.startswith("__") and named[name] == 1
            for name in names
        )

    assert chopped <= 0.15 * functions, f"{chopped} of {functions}"


def test_no_function_is_long(product_nodes: dict[Path, list[ast.AST]]) -> None:
    assert {
        f"{name_of(path)}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path, nodes in product_nodes.items()
        for node in nodes
        if isinstance(node, FUNCTION) and (node.end_lineno or 0) - node.lineno + 1 > 45
    } == {}


def test_no_two_public_classes_have_one_name(trees: dict[Path, ast.Module]) -> None:
    places: dict[str, list[str]] = {}
    for path in PRODUCT:
        for node in trees[path].body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name_of(path))
    # Django's commands have to be called so; the search's contract names its own parameter.
    twice = {name for name, paths in places.items() if len(paths) > 1}
    assert twice - {"Command", "ToolParameter"} == set()


def test_names_are_words_of_the_glossary(product_nodes: dict[Path, list[ast.AST]]) -> None:
    """One word for each thing: what docs/glossary.md says never to say is no name of a class or function."""
    forbidden = re.compile(
        r"Snapshot(?!Provider)$|catalogue|MCPTool|Wrapper|Adapter|Helper|Utils?$|Told$|Asked$|Said$|Seen$",
    )
    # The snapshot is that of the runtime: all tools at one revision.
    assert [
        f"{name_of(path)}: {node.name}"
        for path, nodes in product_nodes.items()
        for node in nodes
        if isinstance(node, ast.ClassDef)
        and node.name != "Snapshot"
        and forbidden.search(node.name)
    ] == []


def test_no_two_advisory_locks_have_one_number(product_nodes: dict[Path, list[ast.AST]]) -> None:
    numbers = Counter(
        node.value
        for nodes in product_nodes.values()
        for node in nodes
        if isinstance(node, ast.Constant)
        and type(node.value) is int
        and 3_003_000 < node.value < 3_004_000
    )

    assert len(numbers) > 8
    assert [number for number, count in numbers.items() if count > 1] == []


def test_median_function_is_short(product_nodes: dict[Path, list[ast.AST]]) -> None:
    lengths = sorted(
        (node.end_lineno or 0) - node.lineno + 1
        for path, nodes in product_nodes.items()
        if path.parts[len(ROOT.parts)] in FOLDERS
        for node in nodes
        if isinstance(node, FUNCTION)
    )

    assert lengths[len(lengths) // 2] <= 11
    assert lengths[int(len(lengths) * 0.9)] <= 39


def test_every_variable_is_documented() -> None:
    pattern = re.compile(r'env\.(?:text|words|number|share|flag|choice|clock|mail)\(\s*"(\w+)"')
    read = {
        name
        for path in (ROOT / "config").glob("*.py")
        for name in pattern.findall(path.read_text())
    }
    documented = (ROOT / "docs/reference/settings.md").read_text()

    assert read
    assert [name for name in sorted(read) if f"`{name}`" not in documented] == []


def test_every_error_is_documented() -> None:
    errors = [name for name in vars(core.errors) if name.endswith("Error")]
    documented = (ROOT / "docs/reference/errors.md").read_text()

    assert [name for name in errors if f"`{name}`" not in documented] == []


def test_every_expression_function_is_documented() -> None:
    documented = (ROOT / "docs/reference/expressions.md").read_text()

    assert [name for name in FUNCTIONS if f"`{name}(" not in documented] == []


def test_every_page_of_the_documentation_is_in_its_index() -> None:
    index = (ROOT / "docs/index.md").read_text()
    pages = [path for path in (ROOT / "docs").rglob("*.md") if path.name != "index.md"]

    assert [
        name_of(path) for path in pages if str(path.relative_to(ROOT / "docs")) not in index
    ] == []


def test_links_of_the_documentation_lead_somewhere() -> None:
    links = [
        (path, link)
        for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text())
    ]

    assert links
    assert [
        (name_of(path), link) for path, link in links if not (path.parent / link).exists()
    ] == []


def test_lines_of_templates_are_not_wide() -> None:
    templates = sorted((ROOT / "templates").rglob("*.html"))

    assert templates
    assert [
        f"{name_of(path)}:{number}"
        for path in templates
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > TEMPLATE_WIDTH
    ] == []


def test_upward_imports_are_refused(tmp_path: Path) -> None:
    """The contract itself works: an upward import makes import-linter fail."""
    for folder in (*FOLDERS, "agents"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "core" / "up.py").write_text("import gateways\n")
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    command = [str(ROOT / ".venv/bin/lint-imports")]

    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert result.returncode != 0
    assert "core.up -> gateways" in result.stdout


# What a new engine touches beside files of its own, which are those of OWN and of tests.
TOUCHED = {
    "core/toolspec.py",  # The name of its dialect, where it has one of its own.
    "gateways/engines.py",
    "static/toolbuilder/editing/dialects.js",
    "pyproject.toml",  # Its driver, as an extra.
    "requirements-server.in",
    "docs/engines.md",
}
OWN = re.compile(
    r"gateways/(mysql|duckdb|sqlite)/|core/(statements|plans)/(mysql|duckdb|sqlite)(_rules)?\.py"
)
ENGINES = re.compile(r"\b(mysql|mariadb|duckdb|sqlite)\b", re.IGNORECASE)
DEFAULT_ENGINE = re.compile(r"Dialect\.POSTGRESQL(\.value)?|'(postgresql|postgres)'")


def test_an_engine_is_named_in_its_own_files_and_six_others(
    product_nodes: dict[Path, list[ast.AST]],
) -> None:
    """What others need of an engine, its registration and its dialect say; prose may name it."""
    pages = [
        path
        for folder in ("static", "templates")
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in {".js", ".css", ".html"} and "vendor" not in path.parts
    ]
    found = []
    for path, nodes in product_nodes.items():
        if OWN.match(name_of(path)) or name_of(path) in TOUCHED:
            continue
        prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        found += [
            f"{name_of(path)}:{getattr(node, 'lineno', '')}"
            for node in nodes
            if _names_engine(node) and id(node) not in prose
        ]
    found += [
        name_of(path)
        for path in pages
        if name_of(path) not in TOUCHED and ENGINES.search(path.read_text())
    ]

    assert len(TOUCHED) == 6
    assert found == []


def test_nobody_asks_whether_an_engine_is_the_default_one(
    product_nodes: dict[Path, list[ast.AST]],
) -> None:
    exempt = ("gateways/postgres/", "agents/")

    assert [
        f"{name_of(path)}:{node.lineno}"
        for path, nodes in product_nodes.items()
        if not name_of(path).startswith(exempt)
        for node in nodes
        if isinstance(node, ast.Compare)
        and any(
            DEFAULT_ENGINE.fullmatch(ast.unparse(each)) for each in (node.left, *node.comparators)
        )
    ] == []


def _names_engine(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return bool(ENGINES.search(name))
        case ast.ImportFrom(module=str(name)):
            return bool(ENGINES.search(name))
        case ast.Constant(value=str(text)):
            return bool(ENGINES.search(text))
        case _:
            return False
