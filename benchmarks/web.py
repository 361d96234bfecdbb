"""`python -m benchmarks.web`: what the pages cost beside 10,000 tools and 1,000,000 calls, in a real Chromium."""

import secrets
import subprocess
import sys
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median
from typing import Any

import psycopg
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    Page,
    StorageState,
    sync_playwright,
)

from benchmarks.report import print_table
from benchmarks.servers import Server, tree_cpu_ms
from benchmarks.stage import Stage
from tests.browser.chromium import launch_arguments

TOOL = "sales_since"
# The completion is asked for at its end.
LOGIC = "SELECT id, amount FROM sales_transactions WHERE store_id = :store_id AND id IN (SELECT id FROM "
TABLE = "sales_transactions"
# What the database is asked about, and about each longer number at its end.
STATEMENT = "SELECT id, amount FROM sales_transactions WHERE store_id = :store_id AND amount > 1"
CALL_DAYS = 30
WAIT_MS = 30_000
_SCREEN: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}, "locale": "en-US"}
_ROWS = """
INSERT INTO h_custom_tool (name, description_agent, tool_type, definition) VALUES (%(tool)s, 'Measured.', 'SQL', %(logic)s);
INSERT INTO h_call_record (at, tool_name, key_id, caller, arguments, outcome, error, duration_ms, row_count, runtime_id, number)
SELECT now() - %(days)s * interval '1 day' * n / %(calls)s,
    -- Some tools are called a hundred times as often as others.
    format('sales_report_%%s', 1 + floor((%(tools)s - 5) * (hash %% 10000 / 10000.0) ^ 2)),
    '', 'agent', jsonb_build_object('store_id', n %% 24, 'since', '2026-01-01'),
    CASE WHEN hash %% 20 = 0 THEN 'tool_error' WHEN hash %% 50 = 1 THEN 'invalid_arguments' ELSE 'ok' END,
    CASE WHEN hash %% 20 = 0 THEN format('relation "sales_%%s" does not exist', n %% 100) ELSE '' END,
    1 + hash %% 400, n %% 1000, runtime, n
FROM (SELECT n, abs(hashint8(n)::bigint) AS hash FROM generate_series(1, %(calls)s) AS n) AS rows,
    (SELECT gen_random_uuid() AS runtime) AS runtimes;
"""
# Runs in the page from its first moment: the editor is usable when it has taken a typed letter and
# offers a table's name for it. The letter is typed into what is there as soon as it is there.
_WATCH_EDITOR = """
new MutationObserver((_changes, observer) => {
  const content = document.querySelector(".cm-content[contenteditable=true]");
  if (!content) return;
  observer.disconnect();
  const look = () => {
    const offered = [...document.querySelectorAll(".cm-tooltip-autocomplete .cm-completionLabel")];
    if (offered.some((label) => label.textContent === "TABLE")) {
      // To be waited for from outside: what Playwright puts into a page to wait there takes 15 ms of what is measured.
      console.debug("usable", performance.now());
      return;
    }
    setTimeout(look, 4);
  };
  requestAnimationFrame(() => {
    window.editorAt = performance.now();
    content.focus();
    const range = document.createRange();
    range.selectNodeContents(content);
    range.collapse(false);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("insertText", false, "s");
    look();
  });
}).observe(document, { childList: true, subtree: true });
""".replace("TABLE", TABLE)
_ROUND_TRIP = """
(end) => {
  const found = performance.getEntriesByType("resource").filter(({ name }) => name.split("?")[0].endsWith(end)).at(-1);
  return found && found.responseEnd ? found.responseEnd - found.startTime : null;
}
"""
_FIRST_BYTE = """
() => { const [page] = performance.getEntriesByType("navigation"); return page.responseStart - page.requestStart; }
"""
# What the browser did not have; the page itself is none of the resources.
_SENT = """
() => performance.getEntriesByType("resource").filter(({ transferSize }) => transferSize > 0).length
"""
# From a letter to its rows: the time the page waits for more letters is in it.
_FILTER = """
async ([field, text, target]) => {
  const input = document.querySelector(field);
  const began = performance.now();
  const swapped = new Promise((resolve) => document.addEventListener("htmx:after:swap", ({ target: at, detail: { ctx } }) => {
    if ((ctx?.target ?? at).id === target) requestAnimationFrame(() => resolve(performance.now() - began));
  }));
  input.value = text;
  input.dispatchEvent(new Event(input.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
  return await swapped;
}
"""


@dataclass
class Figure:
    """What was measured of one thing: ms at the browser, and CPU ms of the server and the database."""

    ms: list[float] = field(default_factory=list)
    server_ms: list[float] = field(default_factory=list)
    database_ms: list[float] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)


class Bench:
    """A web side with its rows, a browser that is signed in, and what was measured."""

    def __init__(self, stage: Stage, chromium: BrowserType, tools: int, calls: int) -> None:
        self._stage = stage
        self._browser: Browser = chromium.launch(**launch_arguments({}))
        self._password = secrets.token_hex(12)
        self._database = stage.make_database(tools - 1)
        self._write_rows(tools, calls)
        self._server = self._start()
        self._session: StorageState = {}
        with self._context() as context:
            page = context.new_page()
            page.goto(f"{self._server.url}/sign-in/")
            page.fill("[name=username]", "admin")
            page.fill("[name=password]", self._password)
            page.press("[name=password]", "Enter")
            page.wait_for_url(f"{self._server.url}/")
            self._session = context.storage_state()
        # As a person's: with what the browser keeps on disk, compiled scripts among it.
        self._profile = chromium.launch_persistent_context(
            stage.directory / "profile", **launch_arguments({}), **_SCREEN
        )
        self._profile.add_init_script(_WATCH_EDITOR)
        self._profile.add_cookies(
            [
                {"name": one["name"], "value": one["value"], "url": self._server.url}
                for one in self._session["cookies"]
            ]
        )
        self.figures: dict[str, Figure] = defaultdict(Figure)

    def measure_editor(self) -> None:
        """A load with an empty cache, one with a full cache, and what a pause in typing asks."""
        with self._context() as context:
            context.add_init_script(_WATCH_EDITOR)
            self._load_editor("editor, cold", context.new_page())
        page = self._profile.new_page()
        self._load_editor("editor, warm", page)
        self._measure_analyse(page)
        page.close()

    def _load_editor(self, kind: str, page: Page) -> None:
        with psycopg.connect(self._database, autocommit=True) as connection:
            connection.execute("DELETE FROM h_custom_tool_draft")
        with self._count(kind, page) as figure:
            with page.expect_console_message(lambda said: said.text.startswith("usable ")) as said:
                page.goto(f"{self._server.url}/tools/{TOOL}/", wait_until="commit")
            figure.ms.append(float(said.value.text.split()[1]))
            page.wait_for_load_state("load")
        self.figures[f"{kind}: text field"].ms.append(page.evaluate("() => window.editorAt"))
        # What was typed is being saved; the next load is another's.
        self._wait_for(page, _ROUND_TRIP, "/analyse/")
        page.wait_for_selector("#saving[data-state=saved]")

    def _measure_analyse(self, page: Page) -> None:
        page.keyboard.press("Escape")
        page.keyboard.press("Control+a")
        for text in (STATEMENT, *"0123456789"):
            with self._count("analyse", page) as figure:
                page.keyboard.insert_text(text)
                # Nothing is asked while names are offered.
                page.keyboard.press("Escape")
                figure.ms.append(self._wait_for(page, _ROUND_TRIP, "/analyse/"))
                page.wait_for_selector("#saving[data-state=saved]")

    def measure_page(self, name: str, address: str) -> None:
        """The first byte of a page whose files the browser has."""
        with self._context() as context:
            page = context.new_page()
            page.goto(f"{self._server.url}{address}")
            for _ in range(3):
                with self._count(f"{name}: first byte", page) as figure:
                    page.goto(f"{self._server.url}{address}", wait_until="load")
                    figure.ms.append(page.evaluate(_FIRST_BYTE))

    def measure_filter(self, name: str, address: str, field: str, texts: list[str]) -> None:
        """A letter in a field of a list, to the rows that it leaves."""
        with self._context() as context:
            page = context.new_page()
            page.goto(f"{self._server.url}{address}")
            target = address.strip("/")
            for text in texts:
                with self._count(f"{name}: keystroke to rows", page) as figure:
                    figure.ms.append(page.evaluate(_FILTER, [field, text, target]))
                waited = self._wait_for(page, _ROUND_TRIP, address)
                self.figures[f"{name}: its request"].ms.append(waited)

    @contextmanager
    def _context(self) -> Iterator[BrowserContext]:
        context = self._browser.new_context(storage_state=self._session, **_SCREEN)
        context.set_default_timeout(WAIT_MS)
        try:
            yield context
        finally:
            context.close()

    @contextmanager
    def _count(self, name: str, page: Page) -> Iterator[Figure]:
        """Add to the figure of that name what is spent meanwhile."""
        figure = self.figures[name]
        page.evaluate("() => performance.clearResourceTimings()")
        server, database = self._server.cpu_ms(), tree_cpu_ms(self._stage.database_pid)
        yield figure
        figure.server_ms.append(self._server.cpu_ms() - server)
        figure.database_ms.append(tree_cpu_ms(self._stage.database_pid) - database)
        figure.requests.append(page.evaluate(_SENT))

    def _wait_for(self, page: Page, script: str, argument: Any = None) -> float:
        found = page.wait_for_function(script, arg=argument, polling=50)
        return float(found.json_value())

    def _start(self) -> Server:
        # Today's figures are of a day that is nearly over, whenever this is run.
        zone = (22 - datetime.now(UTC).hour + 12) % 24 - 12
        name = f"Etc/GMT{-zone:+d}" if zone else "Etc/GMT"
        return self._stage.start_web("web", self._database, TIME_ZONE=name)

    def _write_rows(self, tools: int, calls: int) -> None:
        self._command("createsuperuser", "--noinput", "--username", "admin", "--email", "")
        values = {"tool": TOOL, "logic": LOGIC, "days": CALL_DAYS, "calls": calls, "tools": tools}
        with psycopg.connect(self._database, autocommit=True) as connection:
            psycopg.ClientCursor(connection).execute(_ROWS.encode(), values)
        # As the worker does each hour.
        self._command("shell", "-c", "from access.history.days import roll_up_days; roll_up_days()")
        with psycopg.connect(self._database, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")

    def _command(self, *arguments: str) -> None:
        settings = {"DJANGO_SUPERUSER_PASSWORD": self._password, "DATABASE_URL": self._database}
        made = self._stage.command(*arguments, **settings)
        subprocess.run(
            made.argv, env=made.environment, cwd=made.folder, check=True, stdout=sys.stderr
        )

    def close(self) -> None:
        """End the browsers."""
        self._profile.close()
        self._browser.close()


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks.web", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tools", type=int, default=10_000)
    parser.add_argument("--calls", type=int, default=1_000_000)
    options = parser.parse_args()
    with Stage() as stage, sync_playwright() as playwright:
        bench = Bench(stage, playwright.chromium, options.tools, options.calls)
        for number in range(options.rounds + 1):
            measure(bench)
            if number == 0:
                # The server has imported and compiled what it needs.
                bench.figures.clear()
        bench.close()
    print(f"{options.tools:,} tools, {options.calls:,} calls, {options.rounds} rounds; CPU in ms")
    print_table(
        ["what", "ms", "least", "server", "database", "requests"], list(rows(bench.figures))
    )


def measure(bench: Bench) -> None:
    """Everything once, some of it several times."""
    bench.measure_editor()
    bench.measure_page("tools", "/tools/")
    bench.measure_page("tools, slowest today", "/tools/?sort=slow")
    bench.measure_filter("tools", "/tools/", "[name=q]", ["sales_report_77", "quantity", "nothing"])
    bench.measure_page("calls", "/calls/")
    bench.measure_page("calls of a tool", "/calls/?tool=sales_report_4711")
    bench.measure_filter("calls, error", "/calls/", "[name=q]", ["sales_4", "nothing like it"])
    bench.measure_filter("calls, outcome", "/calls/", "[name=outcome]", ["timeout", "tool_error"])
    for name in ("24h", "7d", "90d"):
        bench.measure_page(f"dashboard, {name}", f"/?range={name}")


def rows(figures: dict[str, Figure]) -> Iterator[list[str]]:
    """Medians, and the least that was seen."""
    for name, figure in figures.items():
        costs = (figure.server_ms, figure.database_ms, figure.requests)
        others = [f"{median(cost):.0f}" if cost else "" for cost in costs]
        yield [name, f"{median(figure.ms):.0f}", f"{min(figure.ms):.0f}", *others]


if __name__ == "__main__":
    main()
