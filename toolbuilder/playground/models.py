"""The rows of the playground: chats, questions with the tool that is right for them, and runs of these."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class PlaygroundState(models.TextChoices):
    """How far a turn of a chat, or a run of questions, is."""

    RUNNING = "RUNNING", _("running")
    DONE = "DONE", _("done")
    STOPPED = "STOPPED", _("stopped")
    FAILED = "FAILED", _("failed")


class Stepped(models.Model):
    """What advances by steps, each a request of the page.

    `revision` grows with each step and with each stop; `held_until` is set while a step is under
    way, so that two pages do not take the same one.
    """

    id = models.BigAutoField(primary_key=True)
    state = models.TextField(
        _("state"), choices=PlaygroundState, default=PlaygroundState.DONE, editable=False
    )
    revision = models.PositiveIntegerField(default=1, db_default=1, editable=False)
    held_until = models.DateTimeField(null=True, editable=False)
    model = models.TextField(_("language model"), editable=False)
    # '' is the endpoint of all tools.
    toolset = models.TextField(_("toolset"), default="", db_default="", editable=False)

    class Meta:
        abstract = True


class PlaygroundChat(Stepped):
    """A chat of one person; `entries` are those of turns.py, oldest first."""

    owner = models.TextField(_("owner"), editable=False)
    title = models.TextField(_("title"), editable=False)
    entries = models.JSONField(default=list, db_default=[], editable=False)
    started_at = models.DateTimeField(_("started"), db_default=Now(), editable=False)
    used_at = models.DateTimeField(_("last used"), db_default=Now(), editable=False)

    class Meta:
        db_table = "h_playground_chat"
        verbose_name = _("chat of the playground")
        verbose_name_plural = _("chats of the playground")
        ordering = ["-used_at", "-id"]
        indexes = [models.Index(fields=["owner", "-used_at"], name="h_playground_chat_owner")]

    def __str__(self) -> str:
        return self.title


class PlaygroundQuestion(models.Model):
    """A question of a set, with the tool that should be called for it: '' where none should.

    `arguments` are those that the call should have among others; None says nothing of them.
    """

    id = models.BigAutoField(primary_key=True)
    set_name = models.TextField(_("set of questions"))
    text = models.TextField(_("question"))
    language = models.CharField(_("language"), max_length=5, default="other", db_default="other")
    expected = models.TextField(_("expected tool"), default="", db_default="", blank=True)
    arguments = models.JSONField(_("expected arguments"), null=True, blank=True)
    created_by = models.TextField(_("created by"), default="", db_default="", blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        db_table = "h_playground_question"
        verbose_name = _("question of the playground")
        verbose_name_plural = _("questions of the playground")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["set_name", "text"], name="h_playground_question_once")
        ]

    def __str__(self) -> str:
        return self.text[:80]


class PlaygroundRun(Stepped):
    """A set of questions put to a model; `verdicts` are those of evaluating.py, one a question.

    `list_hash` is that of the names and descriptions that the model was given.
    """

    set_name = models.TextField(_("set of questions"), editable=False)
    verdicts = models.JSONField(default=list, db_default=[], editable=False)
    list_hash = models.TextField(default="", db_default="", editable=False)
    # A stored message: why the run could not go on.
    fault = models.JSONField(null=True, editable=False)
    started_by = models.TextField(_("started by"), editable=False)
    started_at = models.DateTimeField(_("started"), db_default=Now(), editable=False)

    class Meta:
        db_table = "h_playground_run"
        verbose_name = _("run of the playground")
        verbose_name_plural = _("runs of the playground")
        ordering = ["-id"]
        indexes = [models.Index(fields=["set_name", "-id"], name="h_playground_run_of_set")]

    def __str__(self) -> str:
        return f"{self.set_name} {self.started_at:%Y-%m-%d %H:%M}"
