"""A chat: the model asks for calls, the served side answers them, and the page advances step by step."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from access.audit.models import AuditEntry
from access.keys import issue_key, revoke_key
from access.models import ApiKey, CallRecord, ToolLimit
from tests.chat_model import Request, ScriptedModel, answers_of, calling, saying
from tests.factories import make_expression, make_toolset
from tests.people import StaffWith
from tests.waiting import wait_until
from toolbuilder.models import PlaygroundChat, PlaygroundState
from toolbuilder.playground.turns import KEPT_FOR, MAX_STEPS, forget_chats

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


@pytest.fixture
def _product(transactional_db: None) -> None:
    make_expression(name="multiply", description_agent="Multiplies two numbers.")
    make_expression(name="divide")
    make_toolset("sums", "multiply")


@pytest.fixture
def world(_product: None, served_side: str, model: ScriptedModel) -> ScriptedModel:
    """Tools that are served, and a model that calls `multiply` once and says what came of it."""

    def answer(request: Request) -> Any:
        answers = answers_of(request)
        return saying(f"It is **{answers[0]}**.") if answers else calling("multiply", a=6, b=7)

    model.answer = answer
    return model


def ask(browser: Client, text: str = "What is 6 times 7?", **fields: str) -> str:
    """The part of the page after the whole turn."""
    page = browser.post("/playground/ask/", {"text": text, **fields}, headers=HTMX)
    content = page.content.decode()
    chat = PlaygroundChat.objects.first()
    while chat and chat.state == PlaygroundState.RUNNING:
        content = browser.post(f"/playground/chats/{chat.pk}/step/", headers=HTMX).content.decode()
        chat.refresh_from_db()
    return content


def test_model_calls_a_tool_and_answers(world: ScriptedModel, admin: Client) -> None:
    text = ask(admin)

    assert "multiply" in text
    assert "<strong>42</strong>" in text
    assert "1 call ·" in text
    assert "200 tokens in, 20 out" in text
    offered = {tool["function"]["name"] for tool in world.requests[0]["tools"]}
    assert "multiply" in offered
    said = world.requests[1]["messages"][-2:]
    assert said[0]["tool_calls"][0]["function"]["name"] == "multiply"
    assert said[1] == {"role": "tool", "tool_call_id": "call_1", "content": "42"}


def test_call_is_recorded_as_the_persons_own(world: ScriptedModel, admin: Client) -> None:
    ask(admin)

    wait_until(CallRecord.objects.exists)
    record, key = CallRecord.objects.get(), ApiKey.objects.get()
    chat = PlaygroundChat.objects.get()
    answer = admin.get(f"/playground/chats/{chat.pk}/calls/1/0/", headers=HTMX).content.decode()
    assert (record.tool_name, record.key_id, key.name) == ("multiply", key.key_id, "Playground")
    assert key.owner == User.objects.get()
    assert key.expires_at is not None
    assert key.expires_at < timezone.now() + timedelta(days=1, minutes=1)
    assert f"/tools/multiply/?call={record.pk}" in answer
    assert "Save as case" in answer


@pytest.mark.usefixtures("own_trail")
def test_secret_is_on_no_page_and_in_no_row(world: ScriptedModel, admin: Client) -> None:
    text = ask(admin)

    pages = text + admin.get("/playground/").content.decode()
    session = Session.objects.get().get_decoded()
    stored = json.dumps([session, list(AuditEntry.objects.values("before", "after"))], default=str)
    prefix = f"mcp_{ApiKey.objects.get().key_id}_"
    assert prefix not in pages + stored + json.dumps(PlaygroundChat.objects.get().entries)
    assert AuditEntry.objects.filter(kind="h_api_key", action="insert").count() == 1


def test_key_is_made_anew_after_it_was_revoked(world: ScriptedModel, admin: Client) -> None:
    ask(admin)
    ask(admin)
    revoke_key(ApiKey.objects.get())

    text = ask(admin)

    assert "<strong>42</strong>" in text
    assert ApiKey.objects.filter(revoked_at=None).count() == 1
    assert ApiKey.objects.count() == 2


def test_toolset_narrows_what_the_model_has(world: ScriptedModel, admin: Client) -> None:
    ask(admin, toolset="sums")

    assert [tool["function"]["name"] for tool in world.requests[0]["tools"]] == ["multiply"]


def test_refused_call_is_shown_and_told_to_the_model(world: ScriptedModel, admin: Client) -> None:
    world.answer = lambda request: (
        saying("Sorry.") if answers_of(request) else calling("multiply", a="x")
    )

    text = ask(admin)

    assert "call refused" in text
    assert "a: must be a number" in text
    assert "b: required" in answers_of(world.requests[1])[0]


def test_arguments_that_are_no_json_do_not_end_the_chat(
    world: ScriptedModel, admin: Client
) -> None:
    broken = calling("multiply")
    broken["tool_calls"][0]["function"]["arguments"] = '{"a": 6, "b": '

    def answer(request: Request) -> Any:
        # As vLLM does, whose templates take the arguments apart.
        for said in request["messages"]:
            for call in said.get("tool_calls", ()):
                json.loads(call["function"]["arguments"])
        return saying("Sorry.") if answers_of(request) else broken

    world.answer = answer

    text = ask(admin)

    assert "Sorry." in text
    assert answers_of(world.requests[1])[0].endswith('call again: {"a": 6, "b": ')


def test_answer_that_was_cut_off_is_said_to_be(world: ScriptedModel, admin: Client) -> None:
    world.answer = lambda _request: saying("The three largest are") | {"finish_reason": "length"}

    assert "The model was cut off here" in ask(admin)


def test_limit_holds_for_the_playground(world: ScriptedModel, admin: Client) -> None:
    ToolLimit.objects.create(target_type="ALL", max_count=0)

    assert "call refused" in ask(admin)


def test_endless_model_is_ended_and_can_be_retried(world: ScriptedModel, admin: Client) -> None:
    world.answer = lambda _request: calling("multiply", a=1, b=1)

    text = ask(admin)

    assert "without coming to an end" in text
    assert "Retry" in text
    assert len(world.requests) == MAX_STEPS
    assert PlaygroundChat.objects.get().state == PlaygroundState.FAILED


def test_fault_of_the_model_names_the_setting_and_retry_goes_on(
    world: ScriptedModel, admin: Client
) -> None:
    world.answer = lambda _request: (401, b"{}")
    assert "Set LLM_API_KEY to a valid one." in ask(admin)
    chat = PlaygroundChat.objects.get()
    world.answer = lambda _request: saying("Here I am.")

    done = admin.post(f"/playground/chats/{chat.pk}/step/", {"again": "1"}, headers=HTMX)

    assert "Here I am." in done.content.decode()
    assert "LLM_API_KEY" not in done.content.decode()


def test_stopped_turn_goes_on_where_it_was(world: ScriptedModel, admin: Client) -> None:
    admin.post("/playground/ask/", {"text": "6 times 7?"}, headers=HTMX)
    chat = PlaygroundChat.objects.get()
    admin.post(f"/playground/chats/{chat.pk}/step/", headers=HTMX)

    stopped = admin.post(f"/playground/chats/{chat.pk}/stop/", headers=HTMX).content.decode()
    still = admin.post(f"/playground/chats/{chat.pk}/step/", headers=HTMX).content.decode()
    for fields in ({"again": "1"}, {}):
        done = admin.post(f"/playground/chats/{chat.pk}/step/", fields, headers=HTMX)

    assert "Stopped." in stopped
    assert "Stopped." in still
    assert "<strong>42</strong>" in done.content.decode()


def test_question_after_a_stopped_call_tells_the_model_so(
    world: ScriptedModel, admin: Client
) -> None:
    admin.post("/playground/ask/", {"text": "6 times 7?"}, headers=HTMX)
    chat = PlaygroundChat.objects.get()
    admin.post(f"/playground/chats/{chat.pk}/step/", headers=HTMX)
    admin.post(f"/playground/chats/{chat.pk}/stop/", headers=HTMX)
    world.answer = lambda _request: saying("Fine.")

    ask(admin, "Never mind.", chat=str(chat.pk))

    roles = [said["role"] for said in world.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "user"]


def test_question_after_one_without_an_answer_does_not_follow_it_at_once(
    world: ScriptedModel, admin: Client
) -> None:
    world.answer = lambda _request: (500, b"oh")
    ask(admin)
    world.answer = lambda _request: saying("Fine.")

    ask(admin, "And 2 times 3?", chat=str(PlaygroundChat.objects.get().pk))

    roles = [said["role"] for said in world.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_model_writes_no_html_and_no_link(world: ScriptedModel, admin: Client) -> None:
    world.answer = lambda _request: saying('<img src="https://x.example/"> [a](https://x.example)')

    text = ask(admin)

    assert "<img" not in text
    assert 'href="https' not in text
    assert "&lt;img" in text


def test_page_works_without_scripts(world: ScriptedModel, admin: Client) -> None:
    page = admin.post("/playground/ask/", {"text": "6 times 7?"}, follow=True)
    chat = PlaygroundChat.objects.get()
    for _ in range(3):
        page = admin.post(f"/playground/chats/{chat.pk}/step/", follow=True)

    assert "<strong>42</strong>" in page.content.decode()


def test_who_may_call_nothing_is_told_so(
    model: ScriptedModel, staff_with: StaffWith, served_side: str
) -> None:
    browser = staff_with("view_tooldefinition")

    assert "There is nothing that you may call" in browser.get("/playground/").content.decode()
    refused = browser.post("/playground/ask/", {"text": "Hi"}, headers=HTMX)

    assert refused.status_code == 422
    assert "Ask an administrator for the right" in refused.content.decode()
    assert not ApiKey.objects.exists()


def test_who_may_not_make_keys_is_lent_one_for_a_turn_and_for_what_they_may_try(
    world: ScriptedModel, staff_with: StaffWith
) -> None:
    text = ask(staff_with("view_tooldefinition", "change_tooldefinition"))

    key = ApiKey.objects.get()
    assert "<strong>42</strong>" in text
    assert key.revoked_at is not None
    assert sorted(key.allowed_tools) == ["divide", "multiply"]
    assert (key.free_sql_sources, key.builtin_groups) == ([], [])


def test_administrator_chats_as_the_holder_of_another_key(
    world: ScriptedModel, admin: Client
) -> None:
    other = issue_key("tokyo").key
    ApiKey.objects.filter(pk=other.pk).update(allowed_tools=["add"], claims={"tenant": "JP"})

    text = ask(admin, as_key=other.key_id)

    lent = ApiKey.objects.get(name="Playground: tokyo")
    assert "<strong>42</strong>" not in text
    assert (lent.allowed_tools, lent.claims) == (["add"], {"tenant": "JP"})
    assert lent.revoked_at is not None
    assert ApiKey.objects.get(pk=other.pk).revoked_at is None
    assert set(CallRecord.objects.values_list("key_id", flat=True)) <= {lent.key_id}


def test_nobody_chats_as_somebody_else_but_superusers(
    world: ScriptedModel, staff_with: StaffWith, admin: Client
) -> None:
    key = issue_key("theirs", User.objects.get(username="admin")).key
    browser = staff_with("view_tooldefinition", "add_apikey", "change_apikey")

    refused = browser.post("/playground/ask/", {"text": "Hi", "as_key": key.key_id}, headers=HTMX)

    assert "theirs" not in browser.get("/playground/").content.decode()
    assert "There is no such key, or you may not call with it." in refused.content.decode()
    assert list(ApiKey.objects.all()) == [key]


def test_chat_of_somebody_else_is_not_there(
    model: ScriptedModel, admin: Client, staff_with: StaffWith
) -> None:
    chat = PlaygroundChat.objects.create(owner="other", title="Mine", model="m")

    for browser in (admin, staff_with("view_tooldefinition", "add_apikey")):
        assert browser.get(f"/playground/?chat={chat.pk}").status_code == 404
        assert browser.post(f"/playground/chats/{chat.pk}/delete/").status_code == 404


def test_chat_goes_when_it_is_deleted_or_a_week_old(model: ScriptedModel, admin: Client) -> None:
    old = timezone.now() - KEPT_FOR - timedelta(hours=1)
    PlaygroundChat.objects.create(owner="admin", title="Old", model="m", used_at=old)
    mine = PlaygroundChat.objects.create(owner="admin", title="New", model="m")

    assert forget_chats() == 1
    admin.post(f"/playground/chats/{mine.pk}/delete/")

    assert not PlaygroundChat.objects.exists()


def test_without_a_model_the_page_says_how_to_set_one(admin: Client) -> None:
    text = admin.get("/playground/").content.decode()

    assert "No model is set up" in text
    assert "LLM_BASE_URL" in text
