"""Checks of the services beside the database, each with deadlines of its own."""

import asyncio
import smtplib
import ssl
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import redis
from django.conf import settings

from catalog.documents.vector_services import embedding_settings, vector_store_settings
from config import env
from config.deployment.findings import DeploymentFinding, caution, fault, fine
from config.services.options import LOOPBACK
from config.services.readiness import answers_http
from core.errors import ChatModelError, EmbeddingError, ToolboxError
from gateways.chat_model.client import ChatModel
from gateways.embeddings.client import EmbeddingClient, TextRole
from gateways.vectors.store import VectorStore
from toolbuilder.playground.exchanges import chat_settings

TIMEOUT_S = 5.0
SLOW_EMBEDDING_MS = 500.0
EMBEDDING_LINE = "TEXT_EMBEDDING_MODEL_URL=http://embeddings.example.org:8080/v1"


def check_redis() -> Iterator[DeploymentFinding]:
    """Whether jobs that wait survive a restart of the broker, and none is thrown away."""
    if not settings.REDIS_URL:
        yield fault(
            "redis",
            "REDIS_URL is not set: no worker gets a job, so nothing is scanned, indexed or cleaned up.",
            "REDIS_URL=redis://:password@redis.example.org:6379/0",
        )
        return
    times = {"socket_timeout": TIMEOUT_S, "socket_connect_timeout": TIMEOUT_S}
    try:
        with redis.Redis.from_url(settings.REDIS_URL, **times) as client:
            server = client.info("server")
            persistence = client.info("persistence")
            memory = client.info("memory")
            saves = _saves(client)
    except (redis.RedisError, OSError, ValueError) as error:
        # Its text may hold the address with the password.
        yield fault(
            "redis",
            f"REDIS_URL cannot be used ({type(error).__name__}).",
            "REDIS_URL=redis://:password@redis.example.org:6379/0",
        )
        return
    name = "Valkey" if "valkey_version" in server else "Redis"
    version = server.get("valkey_version") or server["redis_version"]
    if not int(persistence.get("aof_enabled", 0)) and not saves:
        yield caution(
            "redis", f"{name} keeps nothing: a restart loses the jobs that wait.", "appendonly yes"
        )
    policy = memory.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        yield fault(
            "redis",
            f"{name} throws jobs away when it is full ({policy}).",
            "maxmemory-policy noeviction",
        )
    host = urlsplit(settings.REDIS_URL)
    if not host.password and (host.hostname or "") not in LOOPBACK:
        yield caution(
            "redis", f"{name} is asked without a password, over a network.", "requirepass …"
        )
    yield fine("redis", f"{name} {version} answers.")


def _saves(client: redis.Redis) -> bool:
    """Whether it writes its data now and then; yes where a provider does not say."""
    try:
        return bool(str(client.config_get("save").get("save", "")))
    except redis.ResponseError:
        return True


def check_vectors() -> Iterator[DeploymentFinding]:
    """Whether a text can be embedded, and vectors of that kind are what the collection holds."""
    if not settings.TEXT_EMBEDDING_MODEL_URL:
        yield caution(
            "embeddings",
            "TEXT_EMBEDDING_MODEL_URL is not set: searches compare words only, and tools that embed fail.",
            f"{EMBEDDING_LINE}\nTEXT_EMBEDDING_MODEL_NAME=bge-m3",
        )
        dimension = None
    else:
        found = asyncio.run(_embed())
        yield found[0]
        dimension = found[1]
    if not settings.CHROMADB_HOST:
        yield caution(
            "chroma",
            "CHROMADB_HOST is not set: reference documents are searched by words only.",
            "CHROMADB_HOST=chroma.example.org",
        )
    elif not answers_http(settings.CHROMADB_HOST, settings.CHROMADB_PORT, "/api/v2/heartbeat"):
        yield fault(
            "chroma",
            f"Chroma does not answer at {settings.CHROMADB_HOST}:{settings.CHROMADB_PORT}.",
            "CHROMADB_HOST=chroma.example.org\nCHROMADB_PORT=8000",
        )
    elif dimension is None:
        yield fine("chroma", "Chroma answers.")
    else:
        yield asyncio.run(_open_collection(dimension))


async def _embed() -> tuple[DeploymentFinding, int | None]:
    """What one real text gives, with the dimension of its vector."""
    began = time.perf_counter()
    try:
        client = EmbeddingClient(embedding_settings())
        try:
            found = await client.embed(["Which stores sold most last month?"], TextRole.QUERY)
        finally:
            await client.close()
    except (EmbeddingError, ToolboxError) as error:
        return fault("embeddings", f"No text can be embedded: {error}.", EMBEDDING_LINE), None
    ms = (time.perf_counter() - began) * 1_000
    text = f"{settings.TEXT_EMBEDDING_MODEL_NAME} gives {found.dimension} numbers in {ms:.0f} ms."
    if ms > SLOW_EMBEDDING_MS:
        return caution("embeddings", f"{text} Each search waits for that."), found.dimension
    return fine("embeddings", text), found.dimension


async def _open_collection(dimension: int) -> DeploymentFinding:
    name = settings.CHROMADB_COLLECTION_NAME
    async with VectorStore(vector_store_settings()) as store:
        try:
            await store.open(settings.TEXT_EMBEDDING_MODEL_NAME, dimension)
            return fine("chroma", f"{name} holds {await store.count()} vectors of this model.")
        except ToolboxError as error:
            return caution("chroma", f"{error}.", f"{env.PROGRAM} index_documents")


def check_mail() -> Iterator[DeploymentFinding]:
    """Whether mail can be sent, by signing in to the server and leaving."""
    mail = settings.MAIL
    if not mail["host"]:
        yield caution(
            "mail",
            "EMAIL_URL is not set: owners are not told when a test case fails at night.",
            "EMAIL_URL=smtp://user:password@mail.example.org:587",
        )
        return
    make = smtplib.SMTP_SSL if mail["tls"] else smtplib.SMTP
    try:
        with make(mail["host"], mail["port"], timeout=TIMEOUT_S) as client:
            if mail["starttls"]:
                client.starttls(context=ssl.create_default_context())
            if mail["user"]:
                client.login(mail["user"], mail["password"])
            client.noop()
    except (smtplib.SMTPException, OSError) as error:
        yield fault(
            "mail",
            f"The mail server of EMAIL_URL cannot be used ({type(error).__name__}).",
            "EMAIL_URL=smtp://user:password@mail.example.org:587",
        )
    else:
        yield fine("mail", "The mail server takes mail.")


def check_language_model() -> Iterator[DeploymentFinding]:
    """Whether the playground's model is there, where one is set."""
    if not settings.LLM_BASE_URL:
        yield fine("language-model", "LLM_BASE_URL is not set: there is no playground.")
        return

    async def list_models() -> list[str]:
        client = ChatModel(chat_settings())
        try:
            return await asyncio.wait_for(client.list_models(), TIMEOUT_S)
        finally:
            await client.close()

    try:
        names = asyncio.run(list_models())
    except (ChatModelError, ToolboxError, TimeoutError) as error:
        yield fault(
            "language-model",
            f"The language model cannot be reached: {error or 'it is late'}.",
            "LLM_BASE_URL=https://llm.example.org/v1",
        )
        return
    if settings.LLM_MODEL in names:
        yield fine("language-model", f"{settings.LLM_MODEL} answers.")
    else:
        yield caution(
            "language-model",
            f"The service does not name the model {settings.LLM_MODEL!r}.",
            f"LLM_MODEL={names[0] if names else '…'}",
        )
