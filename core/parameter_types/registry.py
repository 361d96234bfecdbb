"""The types by their codes; a new type is a class of its own, a line here and one in `ParameterType`."""

from collections.abc import Mapping

from core.messages import message
from core.parameter_types.dates import DateKind, DatetimeKind
from core.parameter_types.kind import Kind
from core.parameter_types.numbers import BooleanKind, DecimalKind, IntegerKind, NumberKind
from core.parameter_types.structures import JsonKind, ListKind
from core.parameter_types.texts import EnumKind, StringKind, UuidKind
from core.toolspec import ParameterType

_STRING, _NUMBER, _INTEGER = StringKind(), NumberKind(), IntegerKind()

PARAMETER_TYPES: Mapping[ParameterType, Kind] = {
    ParameterType.STRING: _STRING,
    ParameterType.NUMBER: _NUMBER,
    ParameterType.BOOLEAN: BooleanKind(),
    ParameterType.INTEGER: _INTEGER,
    ParameterType.DATE: DateKind(),
    ParameterType.DATETIME: DatetimeKind(),
    ParameterType.ENUM: EnumKind(),
    ParameterType.STRING_LIST: ListKind(
        _STRING,
        message("type.string_list", "string list"),
        message("arguments.text_list", "must be a list of texts"),
    ),
    ParameterType.NUMBER_LIST: ListKind(
        _NUMBER,
        message("type.number_list", "number list"),
        message("arguments.number_list", "must be a list of numbers"),
    ),
    ParameterType.INTEGER_LIST: ListKind(
        _INTEGER,
        message("type.integer_list", "integer list"),
        message("arguments.integer_list", "must be a list of whole numbers"),
    ),
    ParameterType.JSON: JsonKind(),
    ParameterType.UUID: UuidKind(),
    ParameterType.DECIMAL: DecimalKind(),
}
