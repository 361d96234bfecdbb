"""What the use of a name in an expression or a script says of the parameter: its type, and whether it may be absent."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import ExpressionError
from core.expressions.functions import FUNCTIONS
from core.expressions.source import Source
from core.toolspec import ParameterType

Types = Mapping[str, ParameterType]
_ARITHMETIC = (ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_NUMBERS = frozenset({ParameterType.NUMBER, ParameterType.INTEGER})


def _each(kind: ParameterType, names: str) -> dict[str, ParameterType]:
    return dict.fromkeys(names.split(), kind)


_METHODS = {
    **_each(
        ParameterType.STRING,
        "casefold endswith lower replace split startswith strip title upper",
    ),
    **_each(ParameterType.JSON, "get items keys values"),
}
# The first argument of a function, or else each by its name, which says the same in every function.
_FIRST_ARGUMENTS = {
    **_each(ParameterType.NUMBER_LIST, "correlation mean median percentile stdev sum variance"),
    **_each(ParameterType.STRING_LIST, "all any chunks first last reversed sorted unique"),
    **_each(ParameterType.INTEGER, "range"),
}
_ARGUMENTS = {
    **_each(
        ParameterType.NUMBER,
        "number angle degrees radians base exponent divisor low high percent hours",
    ),
    **_each(ParameterType.INTEGER, "digits days months size stop step"),
    **_each(ParameterType.DATE, "day start end"),
    **_each(ParameterType.DATETIME, "moment"),
    **_each(ParameterType.JSON, "rows dictionaries"),
}
_LISTS: dict[ParameterType | None, ParameterType] = {
    ParameterType.NUMBER: ParameterType.NUMBER_LIST,
    ParameterType.INTEGER: ParameterType.NUMBER_LIST,
    ParameterType.JSON: ParameterType.JSON,
}
# Each round carries what is known to one more name.
_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class InferredParameters:
    """Types by name, of names whose use says one; `optional` are names that are asked whether they are None."""

    types: dict[str, ParameterType] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()


def infer_parameters(text: str) -> InferredParameters:
    """What each name of the text is, by what is done with it; nothing of a text that cannot be read.

    The type of one name may give that of another: `for n in numbers: total += n` after `total = 0`.
    """
    try:
        body = Source(text).parse()
    except ExpressionError:
        return InferredParameters()
    nodes = [node for statement in body for node in ast.walk(statement)]
    types: dict[str, ParameterType] = {}
    optional: set[str] = set()
    for node in nodes:
        match node:
            case (
                ast.Compare(
                    left=ast.Name(id=name),
                    ops=[ast.Is() | ast.IsNot() | ast.Eq() | ast.NotEq()],
                    comparators=[ast.Constant(value=None)],
                )
                | ast.Call(func=ast.Name(id="coalesce"), args=[ast.Name(id=name), *_])
            ):
                optional.add(name)
    for _ in range(_ROUNDS):
        before = dict(types)
        for node in nodes:
            for name, kind in _types_by(node, before):
                # That its items are numbers says more of a list than that it is one.
                is_list = types.get(name) is ParameterType.STRING_LIST
                if name not in types or (is_list and kind in _LISTS.values()):
                    types[name] = kind
        if types == before:
            break
    return InferredParameters(types, frozenset(optional))


def find_texts_of_numbers(text: str, line: int, types: Types) -> list[tuple[str, ParameterType]]:
    """Parameters of texts that the line, counted from 1, works with, each with the type of numbers instead.

    `types` are the declared ones. A loop's variable leads to what it walks through.
    """
    try:
        body = Source(text).parse()
    except ExpressionError:
        return []
    nodes = [node for statement in body for node in ast.walk(statement)]
    blank_lines = text[: len(text) - len(text.lstrip())].count("\n")
    names = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and node.lineno + blank_lines == line
    }
    lists = {name for name, kind in types.items() if kind is ParameterType.STRING_LIST}
    for node in nodes:
        match node:
            case (
                ast.For(target=ast.Name(id=item), iter=ast.Name(id=walked))
                | ast.comprehension(target=ast.Name(id=item), iter=ast.Name(id=walked))
            ) if item in names:
                lists.add(walked)
                names.add(walked)
    texts = {ParameterType.STRING, ParameterType.STRING_LIST}
    return [
        (name, ParameterType.NUMBER_LIST if name in lists else ParameterType.NUMBER)
        for name in sorted(names)
        if types.get(name) in texts
    ]


def _types_by(node: ast.AST, known: Types) -> list[tuple[str, ParameterType]]:
    """What the node alone says of the names in it."""
    named: Sequence[ast.expr] = ()
    kind = ParameterType.NUMBER
    match node:
        case (
            ast.BinOp(left=left, op=op, right=right)
            | ast.AugAssign(target=left, op=op, value=right)
        ):
            is_sum = isinstance(op, ast.Add) and _is_number(known, left, right)
            named = [left, right] if is_sum or isinstance(op, _ARITHMETIC) else []
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            named, kind = [right] if _is_number(known, left) else [], ParameterType.NUMBER_LIST
        case (
            ast.Assign(value=left, targets=others) | ast.Compare(left=left, comparators=others)
        ) if _is_number(known, left, *others):
            named = [left, *others]
        case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in _METHODS:
            named, kind = [owner], _METHODS[attr]
        case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join"), args=args):
            named, kind = args, ParameterType.STRING_LIST
        case ast.Subscript(value=owner, slice=ast.Constant(value=str())):
            named, kind = [owner], ParameterType.JSON
        case ast.Call(func=ast.Name(id=function), args=args) if function in FUNCTIONS:
            places = zip(args, FUNCTIONS[function].signature.parameters, strict=False)
            kinds = [_ARGUMENTS.get(place) for _argument, place in places]
            kinds[:1] = [_FIRST_ARGUMENTS.get(function, *kinds[:1])] if kinds else []
            return [
                (argument.id, kind)
                for argument, kind in zip(args, kinds, strict=False)
                if kind and isinstance(argument, ast.Name)
            ]
        case (
            ast.comprehension(target=target, iter=ast.Name(id=name) as walked)
            | ast.For(target=target, iter=ast.Name(id=name) as walked)
        ):
            # What is walked through is a list: of numbers, if its items are, or of rows with fields.
            if known.get(name) is ParameterType.NUMBER_LIST:
                named = [target]
            else:
                item = known.get(target.id) if isinstance(target, ast.Name) else None
                named, kind = [walked], _LISTS.get(item, ParameterType.STRING_LIST)
    return [(name.id, kind) for name in named if isinstance(name, ast.Name)]


def _is_number(known: Types, *nodes: ast.expr) -> bool:
    """Whether one of the operands is a number, so that the other one has to be."""
    return any(
        (isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC))
        or (isinstance(node, ast.Constant) and type(node.value) in {int, float})
        or (isinstance(node, ast.UnaryOp) and _is_number(known, node.operand))
        or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
        )
        or (isinstance(node, ast.Name) and known.get(node.id) in _NUMBERS)
        for node in nodes
    )
