"""Arguments that hold texts to be embedded: none blank, and not too many or too long at once."""

from collections.abc import Mapping, Sequence

from core.argument_texts import NOT_BLANK, limit_characters, list_faults, name_fault
from core.arguments import ArgumentsValidator
from core.bindings import NOBODY, CallerFacts
from core.errors import ArgumentsError
from core.messages import Message
from core.parameter_types.structures import limit_items
from core.toolspec import ParameterSpec
from tools.builtin.tool import Arguments

MAX_BLANKS_NAMED = 20


class EmbeddableTexts:
    """As ArgumentsValidator; then the texts of the first one, a text or a list, must be fit to be embedded.

    A list may have at most `most` texts, of `most_characters` together.
    """

    __slots__ = ("_argument", "_most", "_most_characters", "_tool_name", "_validate")

    def __init__(
        self,
        tool_name: str,
        parameters: Sequence[ParameterSpec],
        most: int = 1,
        most_characters: int = 0,
    ) -> None:
        self._tool_name = tool_name
        self._validate = ArgumentsValidator(tool_name, parameters)
        self._argument = parameters[0].name
        self._most = most
        self._most_characters = most_characters

    def __call__(self, arguments: Arguments, _facts: CallerFacts = NOBODY) -> Mapping[str, object]:
        """The typed values. Raises ArgumentsError, which names every text that does not fit."""
        values = self._validate(arguments)
        given = values[self._argument]
        lines = self._judge_list(given) if isinstance(given, list) else self._judge_text(given)
        if lines:
            raise ArgumentsError(list_faults(self._tool_name, lines))
        return values

    def _judge_list(self, texts: list[str]) -> list[Message]:
        if len(texts) > self._most:
            return [name_fault(self._argument, limit_items(self._most, str(len(texts))))]
        characters = sum(map(len, texts))
        if characters > self._most_characters:
            fault = limit_characters(self._most_characters, characters)
            return [name_fault(self._argument, fault)]
        blank = [index for index, text in enumerate(texts) if not text.strip()]
        return [
            name_fault(f"{self._argument}[{index}]", NOT_BLANK)
            for index in blank[:MAX_BLANKS_NAMED]
        ]

    def _judge_text(self, text: object) -> list[Message]:
        return [] if str(text).strip() else [name_fault(self._argument, NOT_BLANK)]
