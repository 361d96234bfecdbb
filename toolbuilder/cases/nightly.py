"""Cases that run each night, and who is told when one of them has become red."""

import asyncio
import logging
from collections.abc import Sequence

import httpx
import orjson
from django.conf import settings
from django.db.models import F
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from catalog.sources.connections import address_rules
from core.errors import EditError
from core.ingest.addresses import parse_web_address
from gateways.http.client import AnswerTooLargeError, ServerClient
from toolbuilder.cases.reports import ToolReport, report_tool
from toolbuilder.mails import mail_people
from toolbuilder.models import NightlyCases
from tools.models import ToolDefinition

WEBHOOK_TIMEOUT_S = 10.0
_MAX_ANSWER_BYTES = 10_000
_logger = logging.getLogger(__name__)


def run_nightly() -> int:
    """Run the cases of all tools that have it switched on; returns how many tools are red.

    The owner is told by mail, and the webhook, in the night in which a tool becomes red, not in those after.
    """
    reds = 0
    switched = NightlyCases.objects.filter(tool__archived_at=None, tool__cases__isnull=False)
    # The longest ago first: should a night be too short, the next one begins with what is left.
    order = F("ran_at").asc(nulls_first=True)
    for nightly in switched.select_related("tool").distinct().order_by(order, "tool_id"):
        tool = ToolDefinition.objects.whole().get(pk=nightly.tool_id)
        report = report_tool(tool)
        red = max(sum(run.verdict.state.blocks for run in report.runs), int(report.is_red))
        was_green = not nightly.red_count
        NightlyCases.objects.filter(pk=nightly.pk).update(ran_at=timezone.now(), red_count=red)
        reds += bool(red)
        if red and was_green:
            tell_of_red(tool, report)
    return reds


def tell_of_red(tool: ToolDefinition, report: ToolReport) -> None:
    """Tell the tool's owner by mail, and the webhook; what cannot be told is logged and hinders nothing."""
    red = [run for run in report.runs if run.verdict.state.blocks]
    lines = [f"{run.case.name}: {run.verdict.sentence or ''}" for run in red]
    lines = [str(report.fault)] if report.fault else lines
    address = f"{settings.WEB_PUBLIC_URL.rstrip('/')}{reverse('tool', args=[tool.name])}"
    subject = _("Red test cases: %(name)s") % {"name": tool.name}
    mail_people({tool.updated_by, tool.created_by}, subject, "\n".join([*lines, "", address]))
    if settings.CASES_WEBHOOK_URL:
        # What differs may be data, which is the owner's to read.
        names = [run.case.name for run in red]
        _call_webhook({"tool": tool.name, "red": names, "address": address})


def _call_webhook(document: dict[str, str | Sequence[str]]) -> None:
    url = settings.CASES_WEBHOOK_URL

    async def post() -> int:
        client = ServerClient(
            url, "", connect_timeout_s=WEBHOOK_TIMEOUT_S, max_answer_bytes=_MAX_ANSWER_BYTES
        )
        try:
            async with asyncio.timeout(WEBHOOK_TIMEOUT_S):
                return (await client.request("POST", body=orjson.dumps(document))).status
        finally:
            await client.close()

    try:
        parse_web_address(url, address_rules())
        if (status := asyncio.run(post())) >= 400:
            _logger.warning("the webhook of red cases answered %d", status)
    except EditError as error:
        _logger.warning("CASES_WEBHOOK_URL: %s", error)
    except (httpx.RequestError, AnswerTooLargeError, TimeoutError) as error:
        _logger.warning("the webhook of red cases was not reached: %s", type(error).__name__)
