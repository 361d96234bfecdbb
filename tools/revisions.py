"""Revisions of the registry, which count changes of the served set, and what each of them changed."""

from django.db import connection, models
from django.utils.translation import gettext_lazy as _

# Of changes since a revision: more are not worth to be told apart.
MAX_CHANGES_READ = 2_000


class RegistryRevision(models.Model):
    """One row that counts changes of the served set; triggers bump it for every program."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    revision = models.BigIntegerField(default=0, db_default=0)
    # So that ready tools that a person has deleted do not come back at the next start.
    demo_loaded_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "h_registry_revision"

    def __str__(self) -> str:
        return str(self.revision)

    @classmethod
    def current(cls) -> int:
        """The revision now; 0 before anything was written."""
        # Asked every two seconds by an idle server; a QuerySet costs five times as much as its answer.
        with connection.cursor() as cursor:
            cursor.execute("SELECT revision FROM h_registry_revision WHERE id = 1")
            row = cursor.fetchone()
        return row[0] if row else 0


class RegistryChange(models.Model):
    """A tool that a revision of the registry changed; None is any tool, 0 none of these.

    Triggers write it, for every program, and forget what is long ago.
    """

    id = models.BigAutoField(primary_key=True)
    revision = models.BigIntegerField(db_index=True, editable=False)
    tool_id = models.BigIntegerField(null=True, editable=False)

    class Meta:
        db_table = "h_registry_change"
        verbose_name = _("change of a revision")
        verbose_name_plural = _("changes of revisions")

    def __str__(self) -> str:
        return f"{self.revision}: {self.tool_id}"

    @classmethod
    def changed_between(cls, since: int, revision: int) -> frozenset[int] | None:
        """Ids of the tools that changed after `since`, up to `revision` at least; None may be all.

        0 is among them where something else changed, such as a toolset or a limit.
        """
        rows = cls.objects.filter(revision__gt=since).values_list("revision", "tool_id")
        found = list(rows[:MAX_CHANGES_READ])
        is_whole = len({at for at, _ in found if at <= revision}) == revision - since
        ids = frozenset(tool_id for _, tool_id in found)
        return None if None in ids or not is_whole else ids
