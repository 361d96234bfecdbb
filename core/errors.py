"""Every error that an agent or a person may see, in one tree; the text of each is safe to show."""

from core.messages import Message, as_message


class ToolboxError(Exception):
    """Base of all: says what was wrong and what would be right; holds no secret, no host, no stack.

    `str()` of it is English. A plain text is foreign: a database's own words, or a tool's author's.
    """

    def __init__(self, message: Message | str = "") -> None:
        super().__init__(message)

    @property
    def message(self) -> Message:
        """The text with its code and values, for pages in another language."""
        return as_message(self.args[0])


class DefinitionError(ToolboxError):
    """A tool definition that cannot be served; refused on save, quarantined on load."""


class StatementError(DefinitionError):
    """A SQL statement that cannot be compiled.

    `position` is the 0-based offset of the offending character in the statement, or None. `code` and
    `hint` are the database's own, such as the SQLSTATE 42703, where it spoke.
    """

    def __init__(
        self, message: Message | str, position: int | None = None, *, code: str = "", hint: str = ""
    ) -> None:
        super().__init__(message)
        self.position = position
        self.code = code
        self.hint = hint


class ExpressionError(DefinitionError):
    """An expression outside the allow-list; `position` as in StatementError."""

    def __init__(self, message: Message | str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class ArgumentsError(ToolboxError):
    """Arguments of a call that do not fit the parameters; one line per field."""


class PlanCostError(ArgumentsError):
    """A query that the database's planner finds too costly; narrower arguments may do."""


class MissingFactError(ToolboxError):
    """The caller lacks a fact that the tool needs, such as a claim of its API key."""


class TokenRefusedError(ToolboxError):
    """An access token that is not good here; nothing of it is in the text."""


class TokenRightsError(TokenRefusedError):
    """A good access token that is not enough: it needs `scope`, '' where no scope would help."""

    def __init__(self, message: Message | str, scope: str = "") -> None:
        super().__init__(message)
        self.scope = scope


class SignOnError(ToolboxError):
    """Somebody who came by an issuer cannot be signed in to the pages."""


class IssuerUnavailableError(ToolboxError):
    """The keys of an issuer of access tokens cannot be read now, or it cannot be asked; the same call may work later."""


class LimitError(ToolboxError):
    """A limit is used up, or cannot be counted now; `retry_after_s` is when to call again, 0 if unknown."""

    def __init__(self, message: Message | str, retry_after_s: int = 0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ToolRestsError(ToolboxError):
    """A tool that kept failing is left alone for a while; `retry_after_s` is when it is tried again."""

    def __init__(self, message: Message | str, retry_after_s: int = 0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class UnknownToolError(ToolboxError):
    """No tool of that name is visible to the caller."""


class EvaluationError(ToolboxError):
    """An expression that failed on these arguments, such as a division by zero."""


class StatedError(EvaluationError):
    """What the author of an expression wrote in fail(): shown as it is."""


class ScriptsBusyError(ToolboxError):
    """Every script process is in use; retry shortly."""


class DataSourceError(ToolboxError):
    """The data source refused the query or answered with an error."""


class DataSourceUnavailableError(DataSourceError):
    """The data source cannot be reached now; the same call may work later."""


class DataSourceBusyError(DataSourceError):
    """Every connection of the data source is in use; retry shortly."""


class EmbeddingError(ToolboxError):
    """The embedding server refused a text or gave vectors that cannot be used."""


class EmbeddingUnavailableError(EmbeddingError):
    """The embedding server cannot be reached now; the same call may work later."""


class VectorStoreError(ToolboxError):
    """The vector store refused a request, or its collection does not fit the embeddings."""


class VectorStoreUnavailableError(VectorStoreError):
    """The vector store cannot be reached now; the same call may work later."""


class ChatModelError(ToolboxError):
    """The language model refused the request, or answered with something that cannot be used."""


class ChatModelUnavailableError(ChatModelError):
    """The language model cannot be reached, or is late; the same request may work later."""


class IndexNotReadyError(ToolboxError):
    """What is asked for is not read or indexed yet; the same call may work in a moment."""


class UnknownTableError(ToolboxError):
    """No table of the catalogue that the caller may know has that name."""


class EditError(ToolboxError):
    """What a person wrote and cannot be kept; nothing was written."""


class StaleEditError(EditError):
    """Somebody else has changed it since; `current` has the present values by field."""

    def __init__(self, message: Message | str, current: dict[str, object]) -> None:
        super().__init__(message)
        self.current = dict(current)


class StaleDraftError(StaleEditError):
    """A draft, or the tool that it was made from, has changed since; `current` is the present document."""


class DraftOwnedError(EditError):
    """Somebody else is editing the tool: `owner`, from whom the draft can be taken over."""

    def __init__(self, message: Message | str, owner: str) -> None:
        super().__init__(message)
        self.owner = owner


class RedCasesError(EditError):
    """A tool is not served while a test case of it is red or cannot run, unless somebody gives a reason."""


class ReviewNeededError(EditError):
    """A change that another person has to approve before it is served."""


class ImportFileError(EditError):
    """A file of descriptions or tools that cannot be read at all."""


class DocumentServerError(ToolboxError):
    """The server of the data catalogue refused a request, or gave an answer that is none."""


class DocumentServerUnavailableError(DocumentServerError):
    """The data catalogue cannot be reached now; the same call may work later."""


class DeadlineExceededError(ToolboxError):
    """The call took longer than the tool allows and was stopped."""


class StoppedError(ToolboxError):
    """A trial that somebody stopped, or that ended with its server."""


class BackupError(ToolboxError):
    """A backup cannot be written, or not be restored here."""


class ConfigurationError(ToolboxError):
    """A setting or a service of this installation is wrong or missing."""
