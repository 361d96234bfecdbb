"""Packages that are installed only where a data source needs them: the extras of the wheel."""

from dataclasses import dataclass
from importlib.util import find_spec

from core.messages import Message, message


@dataclass(frozen=True, slots=True)
class Extra:
    """`toolbuilder[name]`, which brings the importable `package`."""

    name: str
    package: str

    def explain_missing(self) -> Message | None:
        """What to install; None where the package is there."""
        if find_spec(self.package) is not None:
            return None
        return message(
            "source.needs_extra",
            "this kind of data source needs the package {package}, which is not installed here;"
            " run pip install 'toolbuilder[{extra}]' in this program's environment",
            package=self.package,
            extra=self.name,
        )
