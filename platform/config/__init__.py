"""The roof: settings, addresses, ASGI and Celery applications. Knows everybody, imported by nobody."""
