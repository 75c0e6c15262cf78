"""The ASGI application: HTTP and WebSockets behind one tenant prefix."""

from __future__ import annotations

import os
import threading

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django_application = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402  (models must be ready first)
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import WebsocketDenier  # noqa: E402
from django.conf import settings  # noqa: E402
from django.urls import path, re_path  # noqa: E402

from config.prefix import TenantPrefix  # noqa: E402
from config.sockets import ComesAgain, LoginsThatCountHere, SameOrigin, TenantSocket  # noqa: E402
from config.warming import warm  # noqa: E402
from conversations.consumers import ChatConsumer  # noqa: E402

routes = URLRouter([path("ws/chat/", ChatConsumer.as_asgi()), re_path("", WebsocketDenier.as_asgi())])
sockets = ComesAgain(SameOrigin(TenantSocket(AuthMiddlewareStack(LoginsThatCountHere(routes)))))
if settings.METRICS_TOKEN:
    from config import metrics

    metrics.install_web()
if settings.TRACES:
    from config import telemetry

    telemetry.install("web")
threading.Thread(target=warm, name="warm", daemon=True).start()
application = TenantPrefix(ProtocolTypeRouter({"http": django_application, "websocket": sockets}))
