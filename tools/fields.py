"""Column types of the tables that other systems read too."""

from typing import Any

from django import forms
from django.db import models
from django.db.models import Func


class UnknownFlag(str):
    """A text where `Y` or `N` should be; it counts as yes, so that the row is seen and refused."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True


def read_flag(value: str) -> bool | UnknownFlag:
    """What a column of YesNoField holds."""
    return value == "Y" if value in {"Y", "N"} else UnknownFlag(value)


class YesNoField(models.TextField):  # type: ignore[type-arg]
    """A boolean kept as the text `Y` or `N`; any other text of another program reads as UnknownFlag."""

    def from_db_value(self, value: str, _expression: Any, _connection: Any) -> bool | UnknownFlag:
        return read_flag(value)

    def to_python(self, value: Any) -> bool:
        return value in (True, "Y", "on", "true", "True", "1")

    def get_prep_value(self, value: Any) -> Any:
        if hasattr(value, "resolve_expression") or isinstance(value, UnknownFlag):
            return value
        return "Y" if self.to_python(value) else "N"

    def value_to_string(self, obj: models.Model) -> str:
        return str(self.get_prep_value(self.value_from_object(obj)))

    def formfield(self, **kwargs: Any) -> forms.Field:
        return forms.BooleanField(
            required=False,
            label=self.verbose_name,
            help_text=self.help_text,
            initial=self.get_default(),
        )


class UtcNowText(Func):
    """The present moment as ISO 8601 text in UTC."""

    template = """to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"""
    output_field = models.TextField()
