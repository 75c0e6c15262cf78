"""Settings. One file for every place it runs; what differs between places comes from the environment.

Each variable read here is documented in docs/settings.md (a test compares).
"""

from __future__ import annotations

from typing import Any

from config import environment as env

ROOT = env.ROOT
STATE_DIR = env.STATE_DIR

DEBUG = env.flag("DEBUG")
SECRET_KEY = env.secret_key()
ALLOWED_HOSTS = env.names("ALLOWED_HOSTS", "*" if not env.text("SECRET_KEY") else "")
CSRF_TRUSTED_ORIGINS = env.names("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "config",
    "admin_ui",
    "conversations",
    "conversations.widget",
    "retrieval",
    "tenants",
    "unfold",
    "guardian",
    "rest_framework",
    "channels",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.admin",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "config.middleware.ContentSecurityPolicy",
    "config.middleware.TenantByPrefix",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "config.middleware.DomainErrors",
]

ROOT_URLCONF = "config.urls"
TENANT_URLCONF = "config.tenant_urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# Storage

DATABASE_URL, VALKEY_URL = env.endpoints()
DATABASES = {"default": env.database(DATABASE_URL, pool=env.flag("DATABASE_POOL", default=True))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [VALKEY_URL], "prefix": "antecedent"},
    }
}

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
STATIC_URL = "/static/"
STATIC_ROOT = STATE_DIR / "static"
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = DEBUG

# Identity

AUTH_USER_MODEL = "tenants.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "guardian.backends.ObjectPermissionBackend",
]
ANONYMOUS_USER_NAME = None
GUARDIAN_MONKEY_PATCH_USER = False
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
LOGIN_URL = "login"
SESSION_COOKIE_NAME = "antecedent_session"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.flag("SECURE_COOKIES")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# Background work

CELERY_BROKER_URL = VALKEY_URL
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600}
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = {
    "documents-sweep": {"task": "retrieval.tasks.documents_sweep", "schedule": 15.0},
    "turns-sweep": {"task": "conversations.tasks.turns_sweep", "schedule": 15.0},
    "memory-sweep": {"task": "conversations.tasks.memory_sweep", "schedule": 30.0},
    "spaces-sweep": {"task": "retrieval.tasks.spaces_sweep", "schedule": 60.0},
    "retention-sweep": {"task": "conversations.tasks.retention_sweep", "schedule": 60.0},
}

# Models

OPENAI_API_KEY = env.text("OPENAI_API_KEY")
OPENAI_BASE_URL = env.text("OPENAI_BASE_URL")
OPENAI_MODEL = env.text("OPENAI_MODEL", "gpt-4.1-mini")
OPENAI_EMBEDDING_MODEL = env.text("OPENAI_EMBEDDING_MODEL")
OPENAI_EMBEDDING_DIMENSIONS = int(env.number("OPENAI_EMBEDDING_DIMENSIONS", 1536))
MODEL_FIRST_TOKEN_SECONDS = env.number("MODEL_FIRST_TOKEN_SECONDS", 8)
MODEL_TOTAL_SECONDS = env.number("MODEL_TOTAL_SECONDS", 60)

MAX_UPLOAD_BYTES = int(env.number("MAX_UPLOAD_MB", 25) * 1024 * 1024)
ANTECEDENT: dict[str, Any] = {
    "STATE_DIR": STATE_DIR,
    "BLOB_DIR": STATE_DIR / "blobs",
    "MAX_UPLOAD_BYTES": MAX_UPLOAD_BYTES,
    "PROMOTE_PASSAGES": int(env.number("PROMOTE_PASSAGES", 20_000)),
    "REEMBED": env.flag("REEMBED", True),
    "PREPARE": env.flag("DATABASE_PREPARE", True),
}

# Language, time, logs

LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_UPLOAD_BYTES + 64 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.text("LOG_LEVEL", "INFO")},
    "loggers": {
        # The sweeps run every few seconds: only what goes wrong in them is worth a line.
        "celery.app.trace": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.beat": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
        "django.server": {"level": "WARNING"},
    },
}

UNFOLD = {"SITE_TITLE": "Antecedent", "SITE_HEADER": "Antecedent", "SITE_SYMBOL": "forum"}
