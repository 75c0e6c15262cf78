"""Settings. One file for every place it runs; what differs between places comes from the environment.

Each variable read here is documented in docs/settings.md (a test compares).
"""

from __future__ import annotations

from typing import Any

from celery.schedules import crontab

from config import environment as env

ROOT = env.ROOT
STATE_DIR = env.STATE_DIR

DEBUG = env.flag("DEBUG")
SECRET_KEY = env.secret_key()
SECRETS_KEYS = env.secrets_keys(SECRET_KEY)
ALLOWED_HOSTS = env.names("ALLOWED_HOSTS", "*" if not env.text("SECRET_KEY") else "")
CSRF_TRUSTED_ORIGINS = env.names("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "config",
    "admin_ui",
    "conversations",
    "conversations.widget",
    "retrieval",
    "tenants",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "unfold",
    "guardian",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "channels",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.admin",
]

CSRF_FAILURE_VIEW = "config.views.page_out_of_date"
MIDDLEWARE = [
    "config.middleware.NamedRequest",
    "config.middleware.AskedByAddress",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.ContentSecurityPolicy",
    "servestatic.middleware.ServeStaticMiddleware",
    "config.middleware.TenantByPrefix",
    "config.middleware.TenantByKey",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "tenants.sign_in.middleware.LoginsThatCountHere",
    "config.middleware.ActingPerson",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "tenants.sign_in.middleware.TwoFactorWhereAsked",
    "config.middleware.DomainErrors",
]

# Spans are sent to a collector where one is named, and else nothing of it is loaded (docs/observability.md)
TRACES = env.traces()
if TRACES:
    MIDDLEWARE.insert(1, "config.middleware.TracedRequest")

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

CACHES = {"default": {"BACKEND": "tenants.adapters.shared_cache.SharedCache", "KEY_PREFIX": "antecedent"}}

# Uploaded files and archives: a bucket where one is named, else a folder of the state directory.
S3: dict[str, str] = {
    "BUCKET": env.text("S3_BUCKET"),
    "PREFIX": env.text("S3_PREFIX"),
    "ENDPOINT": env.text("S3_ENDPOINT"),
    "REGION": env.text("S3_REGION", "us-east-1"),
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
LOGIN_REDIRECT_URL = "chat"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "CommonPasswordValidator", "NumericPasswordValidator")
] + [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    }
]
PASSWORD_RESET_TIMEOUT = 60 * 60
SIGN_IN_PRIVATE_ISSUERS = env.flag("SIGN_IN_PRIVATE_ISSUERS")
ALLAUTH_TRUSTED_PROXY_COUNT = int(env.number("TRUSTED_PROXIES", 0))
ACCOUNT_ADAPTER = "tenants.sign_in.adapters.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_NOTIFICATIONS = True
# Attempts are counted in Valkey by tenants.services.attempts, for all processes together.
ACCOUNT_RATE_LIMITS = False
ACCOUNT_REAUTHENTICATION_TIMEOUT = 10 * 60
ACCOUNT_FORMS = {
    "change_password": "tenants.sign_in.forms.PasswordChangeForm",
    "reauthenticate": "tenants.sign_in.forms.PasswordAgainForm",
}
MFA_ADAPTER = "tenants.sign_in.two_factor.TwoFactorAdapter"
MFA_FORMS = {
    "activate_totp": "tenants.sign_in.two_factor.EnrolForm",
    "authenticate": "tenants.sign_in.two_factor.CodeForm",
    "reauthenticate": "tenants.sign_in.two_factor.CodeAgainForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Antecedent"
MFA_TOTP_TOLERANCE = 1  # periods of 30 seconds that a phone's clock may differ
SOCIALACCOUNT_ADAPTER = "tenants.sign_in.openid.ProviderAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = True  # the page's policy lets no form lead to another origin
SESSION_COOKIE_NAME = "antecedent_session"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.flag("SECURE_COOKIES")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
# Sent over TLS only. Where cookies are for TLS only, plain HTTP is never meant.
SECURE_HSTS_SECONDS = int(env.number("HSTS_SECONDS", 31_536_000 if SESSION_COOKIE_SECURE else 0))
X_FRAME_OPTIONS = "DENY"

# REST

REST_FRAMEWORK: dict[str, Any] = {
    "EXCEPTION_HANDLER": "config.errors.api_exception_handler",
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Antecedent",
    "DESCRIPTION": "Conversational retrieval that carries what the user still means, and nothing else.",
    "VERSION": "1",
    "SERVERS": [
        {"url": "/", "description": "By key"},
        {
            "url": "/t/{workspace}",
            "description": "Below a workspace's address: by key, session token or cookie",
            "variables": {"workspace": {"default": "hospital"}},
        },
    ],
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_URLCONF": "config.api_urls",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,
    "POSTPROCESSING_HOOKS": [],
    "SCHEMA_PATH_PREFIX": r"/api/v1",
}

# Mail

PUBLIC_URL = env.text("PUBLIC_URL").rstrip("/")
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "Antecedent <no-reply@localhost>")
MAIL = env.mail(env.text("EMAIL_URL", "console:"))
EMAIL_BACKEND, EMAIL_TIMEOUT, EMAIL_FILE_PATH = (
    MAIL[f"EMAIL_{name}"] for name in ("BACKEND", "TIMEOUT", "FILE_PATH")
)
EMAIL_HOST, EMAIL_PORT = MAIL["EMAIL_HOST"], MAIL["EMAIL_PORT"]
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL["EMAIL_HOST_USER"], MAIL["EMAIL_HOST_PASSWORD"]
EMAIL_USE_SSL, EMAIL_USE_TLS = MAIL["EMAIL_USE_SSL"], MAIL["EMAIL_USE_TLS"]

# Background work

CELERY_BROKER_URL = env.text("BROKER_URL", VALKEY_URL)
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CHANNEL_ERROR_RETRY = True  # a Valkey that refuses to write, its disk full, ends no worker
CELERY_BROKER_TRANSPORT_OPTIONS = env.broker_options(CELERY_BROKER_URL)
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = env.number("WORKER_DRAIN_SECONDS", 60)
CELERY_BEAT_SCHEDULER = "config.pulsing_beat:PulsingScheduler"
CELERY_BEAT_SCHEDULE = {
    "documents-sweep": {"task": "retrieval.tasks.documents_sweep", "schedule": 15.0},
    "turns-sweep": {"task": "conversations.tasks.turns_sweep", "schedule": 15.0},
    "memory-sweep": {"task": "conversations.tasks.memory_sweep", "schedule": 30.0},
    "spaces-sweep": {"task": "retrieval.tasks.spaces_sweep", "schedule": 60.0},
    "retention-sweep": {"task": "conversations.tasks.retention_sweep", "schedule": 60.0},
    "leakage-sweep": {"task": "conversations.tasks.leakage_sweep", "schedule": crontab(hour=2, minute=17)},
    "findings-sweep": {"task": "conversations.mail_tasks.findings_sweep", "schedule": 60.0},
    "support-sweep": {"task": "tenants.tasks.support_sweep", "schedule": 60.0},
    "usage-sweep": {"task": "tenants.tasks.usage_sweep", "schedule": 30.0},
    "what-if-sweep": {"task": "conversations.tasks.what_if_sweep", "schedule": 30.0},
    "evaluation-sweep": {"task": "conversations.tasks.evaluation_sweep", "schedule": 30.0},
    "webhooks-sweep": {"task": "tenants.tasks.webhooks_sweep", "schedule": 15.0},
    "data-sweep": {"task": "tenants.tasks.data_sweep", "schedule": 30.0},
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
    "DISTRIBUTED": env.flag("DATABASE_DISTRIBUTED"),
}

# What a workspace may use unless it was agreed otherwise with it; None is no limit (docs/limits.md)

QUOTAS = {
    "turns_per_day": env.limit("QUOTA_TURNS_PER_DAY", 20_000),
    "model_tokens_per_month": env.limit("QUOTA_MODEL_TOKENS_PER_MONTH", 100_000_000),
    "documents": env.limit("QUOTA_DOCUMENTS", 200_000),
    "storage_bytes": env.limit("QUOTA_STORAGE_BYTES", 20 * 1024**3),
    "concurrent_streams": env.limit("QUOTA_CONCURRENT_STREAMS", 500),
    "end_user_turns_per_minute": env.limit("QUOTA_END_USER_TURNS_PER_MINUTE", 20),
    "visits_per_minute": env.limit("QUOTA_VISITS_PER_MINUTE", 240),
    "key_requests_per_minute": env.limit("QUOTA_KEY_REQUESTS_PER_MINUTE", 600),
}

# Language, time, logs

LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Whoever reads /metrics presents it; without it nothing is counted (docs/observability.md)
METRICS_TOKEN = env.text("METRICS_TOKEN")

DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_UPLOAD_BYTES + 64 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(levelname)s %(name)s: %(message)s"},
        "json": {"()": "config.logging_json.JsonLines"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": env.text("LOG_FORMAT", "line")}},
    "root": {"handlers": ["stderr"], "level": env.text("LOG_LEVEL", "INFO")},
    "loggers": {
        # The sweeps run every few seconds: only what goes wrong in them is worth a line.
        "celery.app.trace": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.beat": {"level": "WARNING"},
        "botocore": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
        "django.server": {"level": "WARNING"},
    },
}

UNFOLD = {"SITE_TITLE": "Antecedent", "SITE_HEADER": "Antecedent", "SITE_SYMBOL": "forum"}
