"""What a check of the deployment found, and the line that mends it."""

from dataclasses import asdict, dataclass
from enum import StrEnum


class Gravity(StrEnum):
    """How much a finding matters: with an ERROR the installation must not go into production."""

    ERROR = "error"
    WARNING = "warning"
    OK = "ok"


@dataclass(frozen=True, slots=True)
class DeploymentFinding:
    """One thing that is so; `text` holds no secret, `line` is what to add or run, '' where nothing is."""

    level: Gravity
    check: str
    text: str
    line: str = ""

    def to_json(self) -> dict[str, str]:
        """The finding for a pipeline."""
        return {**asdict(self), "level": self.level.value}


def fault(check: str, text: str, line: str = "") -> DeploymentFinding:
    """A finding that must be mended first."""
    return DeploymentFinding(Gravity.ERROR, check, text, line)


def caution(check: str, text: str, line: str = "") -> DeploymentFinding:
    """A finding that should be mended."""
    return DeploymentFinding(Gravity.WARNING, check, text, line)


def fine(check: str, text: str) -> DeploymentFinding:
    """A finding that is as it should be."""
    return DeploymentFinding(Gravity.OK, check, text)
