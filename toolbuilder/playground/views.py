"""The page of the playground, and the requests by which its chats advance."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.models import Toolset
from access.reader_language import in_language
from access.views.gates import SEE_CALLS, SEE_TOOLSETS, for_staff_with, is_fragment, user_of
from access.visibility import visible_calls
from core.errors import ToolboxError
from core.json_text import encode_json
from core.tokens import estimate_tokens
from toolbuilder.gates import SEE_TOOLS, rights_of
from toolbuilder.models import PlaygroundChat, PlaygroundState
from toolbuilder.playground.evaluation_views import report_context
from toolbuilder.playground.exchanges import (
    chat_settings,
    list_functions,
    list_models,
    run_step,
)
from toolbuilder.playground.identity import (
    caller_of,
    close_access,
    find_access,
    list_lent_keys,
    may_ask,
    open_access,
    remember_caller,
)
from toolbuilder.playground.page import show_call, show_chat
from toolbuilder.playground.steps import resume_steps, stop_steps
from toolbuilder.playground.turns import advance_chat, ask
from toolbuilder.visibility import visible_tools
from tools.sources import Sources

_CHATS_LISTED = 20
_KEYS_LISTED = 200


@for_staff_with(SEE_TOOLS)
@never_cache
@require_GET
def playground(request: HttpRequest) -> HttpResponse:
    """The chat that the address names, or a new one."""
    number = request.GET.get("chat", "")
    is_number = number.isascii() and number.isdigit() and len(number) < 19
    chat = _find_chat(request, int(number)) if is_number else None
    return _render_page(request, chat)


@for_staff_with(SEE_TOOLS)
@never_cache
@require_GET
def agent(request: HttpRequest) -> HttpResponse:
    """The models that can be chosen, and what the key's agent is given with each question."""
    toolset = _read_toolset(request, request.GET.get("toolset", ""))
    as_key = request.GET.get("as_key", "")
    access = find_access(request, toolset, as_key)
    context = _agent_context(request, request.GET.get("model", ""), toolset, as_key)
    try:
        names = run_step(lambda _sources: list_models(), "")
    except ToolboxError as error:
        names, context["model_fault"] = [], in_language(error)
    context["models"] = sorted({context["model"], chat_settings().model, *names})
    if access:

        async def read(_sources: Sources) -> list[dict[str, Any]]:
            return await list_functions(access)

        try:
            functions = run_step(read, "")
        except ToolboxError as error:
            context["agent_fault"] = in_language(error)
        else:
            context["tool_count"] = len(functions)
            context["tool_tokens"] = estimate_tokens(encode_json(functions).decode())
    return render(request, "toolbuilder/playground/_agent.html", context)


@for_staff_with(SEE_TOOLS)
@never_cache
@require_POST
def chat_ask(request: HttpRequest) -> HttpResponse:
    """The chat with one more question, or a new one; the page then asks for its steps."""
    number, posted = request.POST.get("chat", ""), request.POST
    chat = _find_chat(request, int(number)) if number.isascii() and number.isdigit() else None
    toolset = _read_toolset(request, posted.get("toolset", ""))
    as_key = posted.get("as_key", "")[:8]
    try:
        open_access(request, toolset, as_key)
        chat = ask(
            chat,
            posted.get("text", ""),
            user_of(request).get_username(),
            model=posted.get("model", "")[:200],
            toolset=toolset,
        )
    except ToolboxError as error:
        return _answer(request, chat, error=in_language(error))
    remember_caller(request, chat.pk, as_key)
    return _answer(request, chat)


@for_staff_with(SEE_TOOLS)
@never_cache
@require_POST
def chat_step(request: HttpRequest, chat_id: int) -> HttpResponse:
    """The chat after its next step; the page asks again until its turn is done."""
    chat = _find_chat(request, chat_id)
    if "again" in request.POST:
        resume_steps(chat)
    try:
        as_key = caller_of(request, chat.pk)
        chat = advance_chat(chat, open_access(request, chat.toolset, as_key))
    except ToolboxError as error:
        stop_steps(chat)
        return _answer(request, chat, error=in_language(error))
    if chat.state != PlaygroundState.RUNNING:
        close_access(request, as_key)
    return _answer(request, chat)


@for_staff_with(SEE_TOOLS)
@require_POST
def chat_stop(request: HttpRequest, chat_id: int) -> HttpResponse:
    """The chat, stopped: what is done stays, and its turn can be carried on."""
    chat = _find_chat(request, chat_id)
    stop_steps(chat)
    close_access(request, caller_of(request, chat.pk))
    return _answer(request, chat)


@for_staff_with(SEE_TOOLS)
@require_POST
def chat_delete(request: HttpRequest, chat_id: int) -> HttpResponse:
    """The page without the chat, which is gone with all of its answers."""
    chat = _find_chat(request, chat_id)
    stop_steps(chat)
    chat.delete()
    messages.success(request, _("The chat was deleted."))
    return redirect("playground")


@for_staff_with(SEE_TOOLS)
@never_cache
@require_GET
def chat_call(request: HttpRequest, chat_id: int, entry: int, number: int) -> HttpResponse:
    """The answer of one call, and what can be done with its record where the person may see that."""
    chat = _find_chat(request, chat_id)
    try:
        call = show_call(chat.entries[entry]["calls"][number], (entry, number))
    except (IndexError, KeyError) as error:
        raise Http404 from error
    answer, record, user = call.answer, None, user_of(request)
    if answer is None:
        raise Http404
    if answer.kept.request_id and user.has_perm(SEE_CALLS):
        records = visible_calls(user).filter(at__gte=chat.started_at, tool_name=call.name)
        record = records.filter(request_id=answer.kept.request_id).first()
    tool = visible_tools(user).filter(name=call.name).first()
    context = {
        "chat": chat,
        "call": call,
        "record": record,
        "tool": tool,
        "rights": rights_of(request, tool),
    }
    part = "_answer" if is_fragment(request) else "answer"
    return render(request, f"toolbuilder/playground/{part}.html", context)


def _find_chat(request: HttpRequest, chat_id: int) -> PlaygroundChat:
    """A chat of the person's own: nobody sees those of others."""
    own = PlaygroundChat.objects.filter(owner=user_of(request).get_username())
    return get_object_or_404(own, pk=chat_id)


def _read_toolset(request: HttpRequest, name: str) -> str:
    return name if name in _toolsets(request) else ""


def _toolsets(request: HttpRequest) -> list[str]:
    if not user_of(request).has_perm(SEE_TOOLSETS):
        return []
    return list(Toolset.objects.order_by("name").values_list("name", flat=True))


def _agent_context(
    request: HttpRequest, model: str, toolset: str, as_key: str = ""
) -> dict[str, Any]:
    model = model[:200] or chat_settings().model
    return {
        "model": model,
        "models": [model],
        "toolset": toolset,
        "toolsets": _toolsets(request),
        "as_key": as_key,
        "lent_keys": list_lent_keys(user_of(request))[:_KEYS_LISTED],
    }


def _answer(request: HttpRequest, chat: PlaygroundChat | None, error: str = "") -> HttpResponse:
    if not is_fragment(request):
        if error:
            return _render_page(request, chat, error=error)
        return redirect(f"{reverse('playground')}?chat={chat.pk}" if chat else "playground")
    context = {"shown": show_chat(chat) if chat else None, "error": error}
    status = 422 if error else 200
    response = render(request, "toolbuilder/playground/_thread.html", context, status=status)
    address = f"{reverse('playground')}?chat={chat.pk}" if chat else ""
    if chat and not request.headers.get("HX-Current-URL", "").endswith(address):
        response["HX-Push-Url"] = address
    return response


def _render_page(
    request: HttpRequest, chat: PlaygroundChat | None, error: str = ""
) -> HttpResponse:
    owner = user_of(request).get_username()
    context = {
        **(
            _agent_context(request, chat.model, chat.toolset, caller_of(request, chat.pk))
            if chat
            else _agent_context(request, "", "")
        ),
        "shown": show_chat(chat) if chat else None,
        "chats": PlaygroundChat.objects.filter(owner=owner).defer("entries")[:_CHATS_LISTED],
        "error": error,
        **report_context(request),
        "view": "evaluation" if request.GET.get("view") == "evaluation" else "chat",
        "has_model": chat_settings().is_complete,
        "may_ask": may_ask(request),
    }
    status = 422 if error else 200
    return render(request, "toolbuilder/playground/page.html", context, status=status)
