"""Django's settings; every variable is described in docs/reference/settings.md."""

import os
import secrets
from urllib.parse import urlsplit

import django_stubs_ext
from django.utils.translation import gettext_lazy as _

from config import env
from config.logs import logging_settings
from core.retrieval.profiles import DEFAULT, PROFILES

# Django's classes take type parameters at run time too, as in ModelAdmin[ApiKey].
django_stubs_ext.monkeypatch()

BASE_DIR = env.BASE_DIR
VERSION = env.version()

DEBUG = env.flag("DEBUG")
# Without one each process makes its own: safe, but a restart signs everybody out.
SECRET_KEY = env.text("SECRET_KEY") or secrets.token_urlsafe(48)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
# The address that people type, behind a proxy; with https:// nothing is sent over plain HTTP.
WEB_PUBLIC_URL = env.origin("WEB_PUBLIC_URL")
if WEB_PUBLIC_URL:
    ALLOWED_HOSTS.append(str(urlsplit(WEB_PUBLIC_URL).hostname))
    CSRF_TRUSTED_ORIGINS.append(WEB_PUBLIC_URL)
# Addresses and networks of proxies, whose word on the client's address and scheme counts.
TRUSTED_PROXIES = env.networks("TRUSTED_PROXIES")

INSTALLED_APPS = [
    # config/urls.py finds the admin pages.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "access",
    "catalog",
    "tools",
    "toolbuilder",
    "mcp_runtime",
    "config.services",
    "config.deployment",
    "config.backup",
]

MIDDLEWARE = [
    # What is compressed is padded at random, so that lengths tell nothing of secrets in it.
    "config.web.compression.CompressionMiddleware",
    "config.web.proxied.ProxyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.web.content_policy.ContentPolicyMiddleware",
    "config.web.static_files.StaticFilesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "access.audit.actors.ActorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.web.partial_answers.PartialAnswerMiddleware",
    "config.web.wrong_method.WrongMethodMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.web.context.shell",
            ],
            "builtins": [
                "access.reader_language",
                "access.templatetags.formats",
                "config.web.tags",
            ],
        },
    },
]

# The application's own database: PostgreSQL only.
DATABASE_URL = env.text("DATABASE_URL", "postgresql://toolbuilder@127.0.0.1:5432/toolbuilder")
DATABASE_POOL_SIZE = env.number("DATABASE_POOL_SIZE", 0)
DATABASES = {"default": env.django_database(DATABASE_URL, DATABASE_POOL_SIZE)}
# Of PostgreSQL itself, where DATABASE_URL leads runtimes through a pooler that shares sessions by transactions.
DATABASE_LISTEN_URL = env.text("DATABASE_LISTEN_URL")
# A cursor of such a session is gone with its transaction.
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = bool(DATABASE_LISTEN_URL)
# A streaming replica of it, for pages of calls and of the catalogue.
DATABASE_REPLICA_URL = env.text("DATABASE_REPLICA_URL")
DATABASE_REPLICA_MAX_LAG_S = env.number("DATABASE_REPLICA_MAX_LAG_S", 5)
if DATABASE_REPLICA_URL:
    DATABASES["replica"] = env.django_database(
        DATABASE_REPLICA_URL, DATABASE_POOL_SIZE, "DATABASE_REPLICA_URL"
    )
    DATABASE_ROUTERS = ["access.replica.ReplicaRouter"]
    MIDDLEWARE.append("config.web.replica.ReplicaMiddleware")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = ["access.roles.rights.RoleBackend"]
# `issuer:subject` of people who are administrators from their first sign-in by an issuer on.
SSO_ADMINISTRATORS = env.words("SSO_ADMINISTRATORS")
# What the issuer takes away from a person holds here when the session has ended.
SIGN_ON_SESSION_HOURS = max(1, env.number("SIGN_ON_SESSION_HOURS", 12))
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

CSRF_FAILURE_VIEW = "config.web.sign_in.refuse_form"
LOGIN_URL = "sign-in"
LOGOUT_REDIRECT_URL = "sign-in"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("ko", _("Korean")), ("ja", _("Japanese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = env.text("TIME_ZONE", "UTC")
# Where the days of limits begin and end.
LIMIT_TIME_ZONE = env.zone("LIMIT_TIME_ZONE", TIME_ZONE)
USE_TZ = True
# Templates group the digits of each number; ids and values in attributes are written with stringformat.
USE_THOUSAND_SEPARATOR = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served from where they are, under addresses with hashes: a start needs no collectstatic.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.web.static_files.HashedStaticFilesStorage"},
}

IS_HTTPS = WEB_PUBLIC_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = IS_HTTPS
SECURE_HSTS_SECONDS = env.number("HSTS_SECONDS", 365 * 86_400) if IS_HTTPS else 0
# Of requests that did not come through TRUSTED_PROXIES, ProxyMiddleware takes the header away.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SILENCED_SYSTEM_CHECKS = [
    # Other names of the domain are not ours to close to plain HTTP.
    "security.W005",
    "security.W021",
    # ProxyMiddleware redirects, and leaves the loopback addresses of this machine's own programs.
    "security.W008",
]
if not SECURE_HSTS_SECONDS:
    # HSTS_SECONDS=0 is a decision, and without https:// the other checks say what is missing.
    SILENCED_SYSTEM_CHECKS.append("security.W004")
# The editor posts some twenty fields for each of the 200 parameters that a tool may have.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
SESSION_COOKIE_HTTPONLY = True
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# Jobs
REDIS_URL = env.text("REDIS_URL")
CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_RESULT_BACKEND = REDIS_URL or None
CELERY_TASK_TIME_LIMIT = 3_600
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True

# What clients may hold of either port; see gateways/http_server/limits.py.
HTTP_HEAD_TIMEOUT_S = env.number("HTTP_HEAD_TIMEOUT_S", 10)
HTTP_BODY_TIMEOUT_S = env.number("HTTP_BODY_TIMEOUT_S", 120)
HTTP_IDLE_TIMEOUT_S = env.number("HTTP_IDLE_TIMEOUT_S", 30)
HTTP_MAX_HEAD_BYTES = env.number("HTTP_MAX_HEAD_BYTES", 65_536)
HTTP_MAX_BODY_BYTES = env.number("HTTP_MAX_BODY_BYTES", 67_108_864)
HTTP_MAX_CONNECTIONS = env.number("HTTP_MAX_CONNECTIONS", 4_096)

# The served side
MCP_PORT = env.number("MCP_PORT", 3003)
# The address that agents are told, behind a proxy; unset: this machine's name with MCP_PORT.
MCP_PUBLIC_URL = env.text("MCP_PUBLIC_URL")
MCP_AUTH = env.choice("MCP_AUTH", "required", ("required", "none"))
MCP_ALLOWED_HOSTS = env.words("MCP_ALLOWED_HOSTS")
# Answer plain requests before FastMCP sees them; off: it answers all.
MCP_DIRECT_LANE = env.flag("MCP_DIRECT_LANE", default=True)
# So long a runtime that is told to stop serves on, while /healthz tells balancers to ask others.
MCP_DRAIN_S = env.number("MCP_DRAIN_S", 0)
# Above the SDK's 4 MiB: a text of 5 MB then reaches validation, whose answer says what would be right.
MCP_MAX_REQUEST_BYTES = env.number("MCP_MAX_REQUEST_BYTES", 8_388_608)
# Twice the longest list that a tool takes.
MCP_MAX_REQUEST_VALUES = env.number("MCP_MAX_REQUEST_VALUES", 20_000)
HTTP_ALLOWED_HOSTS = env.words("HTTP_ALLOWED_HOSTS")
# Names, or `all` or `none`.
MCP_BUILTIN_TOOLS = env.words("MCP_BUILTIN_TOOLS", "all")
# Which tools are listed, and which of them always; the others are found with `search_tools`.
MCP_TOOL_LISTING = env.choice("MCP_TOOL_LISTING", "auto", ("auto", "all", "search"))
MCP_PINNED_TOOLS = env.words("MCP_PINNED_TOOLS")
# In which language agents read descriptions: '' the default text, `client` as its Accept-Language says.
AGENT_LANGUAGE = env.text("AGENT_LANGUAGE")
# Those that a description is expected in where it is given in any.
AGENT_LANGUAGES = env.words("AGENT_LANGUAGES", "ko,ja,en")
# Whether what agents call after a search counts in later ones.
MCP_SEARCH_LEARNING = env.flag("MCP_SEARCH_LEARNING", default=False)
MCP_SEARCH_PROFILE = env.choice("MCP_SEARCH_PROFILE", DEFAULT.name, tuple(PROFILES))
CALL_LOG_ARGUMENTS = env.choice("CALL_LOG_ARGUMENTS", "full", ("full", "hash", "names", "none"))
# Each day the end of the audit trail is appended to it, as nobody can who only has the database.
AUDIT_HEAD_FILE = env.text("AUDIT_HEAD_FILE")
CALL_LOG_RETENTION_DAYS = env.number("CALL_LOG_RETENTION_DAYS", 90)

# Test cases of tools that are to run each night, and who is told when one has become red.
CASES_NIGHTLY = env.flag("CASES_NIGHTLY", default=True)
CASES_NIGHTLY_TIME = env.clock("CASES_NIGHTLY_TIME", "02:10")
CASES_WEBHOOK_URL = env.text("CASES_WEBHOOK_URL")
MAIL = env.mail("EMAIL_URL")
EMAIL_HOST, EMAIL_PORT = MAIL["host"], MAIL["port"]
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL["user"], MAIL["password"]
EMAIL_USE_TLS, EMAIL_USE_SSL = MAIL["starttls"], MAIL["tls"]
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "toolbuilder@localhost")

# The default data source: what a tool without a data source and `execute_postgres_query` read.
POSTGRESQL_DB_USER = env.text("POSTGRESQL_DB_USER")
POSTGRESQL_DB_PASS = env.text("POSTGRESQL_DB_PASS")
POSTGRESQL_DB_NAME = env.text("POSTGRESQL_DB_NAME")
POSTGRESQL_DB_HOST = env.text("POSTGRESQL_DB_HOST")
POSTGRESQL_DB_PORT = env.number("POSTGRESQL_DB_PORT", 5432)
POSTGRESQL_DB_SEARCH_PATH = env.text("POSTGRESQL_DB_SEARCH_PATH", "public")
POSTGRESQL_DB_TIME_ZONE = env.text("POSTGRESQL_DB_TIME_ZONE", "UTC")
DATA_SOURCE_POOL_SIZE = env.number("DATA_SOURCE_POOL_SIZE", 4)
DATA_SOURCE_MAX_WAIT_MS = env.number("DATA_SOURCE_MAX_WAIT_MS", 5_000)
DATA_SOURCE_PREPARES_STATEMENTS = env.flag("DATA_SOURCE_PREPARES_STATEMENTS", default=True)
# 0: queries may be planned at any cost.
DATA_SOURCE_PLAN_COST_LIMIT = env.number("DATA_SOURCE_PLAN_COST_LIMIT", 0)
DATA_SOURCE_CHECKS_COST_AT_CALL = env.flag("DATA_SOURCE_CHECKS_COST_AT_CALL", default=False)
# Of the passwords that data source rows hold: the first encrypts, all decrypt.
FIELD_ENCRYPTION_KEYS = env.words("FIELD_ENCRYPTION_KEYS")
# Processes in which scripts run, of each runtime.
SCRIPT_WORKERS = env.number("SCRIPT_WORKERS", 2)
CREDENTIALS_DIR = env.text("CREDENTIALS_DIR", str(env.data_dir() / "credentials"))
# Where uploaded files are kept, in a folder for each data source; every process has to reach it.
FILES_DIR = env.text("FILES_DIR", str(env.data_dir() / "files"))
FILES_UPLOAD_LIMIT_MB = env.number("FILES_UPLOAD_LIMIT_MB", 50)

# Vectors: the embedding model, and how much of a text it reads.
TEXT_EMBEDDING_MODEL_URL = env.text("TEXT_EMBEDDING_MODEL_URL")
TEXT_EMBEDDING_MODEL_NAME = env.text("TEXT_EMBEDDING_MODEL_NAME")
TEXT_EMBEDDING_API_KEY = env.text("TEXT_EMBEDDING_API_KEY")
TEXT_EMBEDDING_ROLE_STYLE = env.choice(
    "TEXT_EMBEDDING_ROLE_STYLE", "auto", ("auto", "input_type", "prefix", "none")
)
# 0: whatever the model gives.
TEXT_EMBEDDING_DIMENSION = env.number("TEXT_EMBEDDING_DIMENSION", 0)
TEXT_EMBEDDING_BATCH_SIZE = env.number("TEXT_EMBEDDING_BATCH_SIZE", 32)
TEXT_EMBEDDING_MAX_CHARACTERS = env.number("TEXT_EMBEDDING_MAX_CHARACTERS", 1_000)
TEXT_EMBEDDING_TIMEOUT_S = env.number("TEXT_EMBEDDING_TIMEOUT_S", 2)
# Where the vectors are kept, and the form of the documents that they lead to.
CHROMADB_HOST = env.text("CHROMADB_HOST")
CHROMADB_PORT = env.number("CHROMADB_PORT", 8000)
CHROMADB_COLLECTION_NAME = env.text("CHROMADB_COLLECTION_NAME", "column_metadata")
SQL_REFERENCE_FORMAT = env.choice("SQL_REFERENCE_FORMAT", "text", ("text", "json"))

# The language model of the playground, and of the data-search agent: any OpenAI-compatible service.
LLM_BASE_URL = env.text("LLM_BASE_URL")
LLM_API_KEY = env.text("LLM_API_KEY")
LLM_MODEL = env.text("LLM_MODEL")
LLM_TIMEOUT_S = env.number("LLM_TIMEOUT_S", 60)

# Another installation whose data catalogue is served instead of our own; unset: our own.
DOCUMENT_SERVER_URL = env.text("DOCUMENT_SERVER_URL")
DOCUMENT_SERVER_TOKEN = env.text("DOCUMENT_SERVER_TOKEN")
# How long a scan may take samples of tables; those that are left come with the next scan.
CATALOG_SAMPLING_TIMEOUT_S = env.number("CATALOG_SAMPLING_TIMEOUT_S", 600)
# What an import of descriptions may hold, judged while it is read: size, and rows or parts of YAML.
CATALOG_IMPORT_MAX_MB = env.number("CATALOG_IMPORT_MAX_MB", 8)
CATALOG_IMPORT_MAX_ROWS = env.number("CATALOG_IMPORT_MAX_ROWS", 50_000)

# Prometheus: at both ports with this token, and on a port of its own; off without either.
METRICS_TOKEN = env.text("METRICS_TOKEN")
METRICS_PORT = env.number("METRICS_PORT", 0)
METRICS_HOST = env.text("METRICS_HOST", "127.0.0.1")
if METRICS_TOKEN or METRICS_PORT:
    MIDDLEWARE.insert(0, "config.web.metrics.MetricsMiddleware")
# OpenTelemetry: off without an address. Other OTEL_* variables are read by its SDK.
OTEL_EXPORTER_OTLP_ENDPOINT = env.text("OTEL_EXPORTER_OTLP_ENDPOINT")
if OTEL_EXPORTER_OTLP_ENDPOINT:
    MIDDLEWARE.insert(0, "config.web.traces.TracesMiddleware")
OTEL_TRACES_SAMPLER_ARG = env.share("OTEL_TRACES_SAMPLER_ARG", 1.0)
OTEL_SERVICE_NAME = env.text("OTEL_SERVICE_NAME", "toolbuilder")

LOG_LEVEL = env.text("LOG_LEVEL", "info").upper()
LOG_FORMAT = env.choice("LOG_FORMAT", "text", ("text", "json"))
LOGGING = logging_settings(LOG_LEVEL, LOG_FORMAT)
# Else FastMCP, once imported, writes its lines in a form of its own.
os.environ["FASTMCP_LOG_ENABLED"] = "false"
# Of `manage.py up`, which knows no Django; here to be shown.
LOG_MAX_BYTES, LOG_FILES_KEPT = env.log_limits()
