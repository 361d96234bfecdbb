"""Arguments that hold texts to be embedded: none blank, and not too many at once."""

from collections.abc import Mapping, Sequence

from core.arguments import ArgumentsValidator
from core.bindings import NOBODY, CallerFacts
from core.errors import ArgumentsError
from core.toolspec import ParameterSpec
from mcp_runtime.builtin.tool import Arguments

MAX_BLANKS_NAMED = 20


class EmbeddableTexts:
    """As ArgumentsValidator; then the texts of the first one, a text or a list, must be fit to be embedded."""

    __slots__ = ("_argument", "_most", "_tool_name", "_validate")

    def __init__(self, tool_name: str, parameters: Sequence[ParameterSpec], most: int = 1) -> None:
        self._tool_name = tool_name
        self._validate = ArgumentsValidator(tool_name, parameters)
        self._argument = parameters[0].name
        self._most = most

    def __call__(self, arguments: Arguments, _facts: CallerFacts = NOBODY) -> Mapping[str, object]:
        """The typed values. Raises ArgumentsError, which names every text that does not fit."""
        values = self._validate(arguments)
        given = values[self._argument]
        lines = self._judge_list(given) if isinstance(given, list) else self._judge_text(given)
        if lines:
            text = "\n- ".join([f"Invalid arguments for {self._tool_name}:", *lines])
            raise ArgumentsError(text)
        return values

    def _judge_list(self, texts: list[str]) -> list[str]:
        if len(texts) > self._most:
            return [f"{self._argument}: must have at most {self._most} items (got {len(texts)})"]
        blank = [index for index, text in enumerate(texts) if not text.strip()]
        return [
            f"{self._argument}[{index}]: must not be blank" for index in blank[:MAX_BLANKS_NAMED]
        ]

    def _judge_text(self, text: object) -> list[str]:
        return [] if str(text).strip() else [f"{self._argument}: must not be blank"]
