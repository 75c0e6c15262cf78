"""The chat frame: the page that people talk to, on its own or inside a site's iframe.

Templates in ``templates/widget``, ES modules and styles in ``static/widget``, the wire protocol in
``docs/protocol.md``. Listed in ``INSTALLED_APPS`` so that Django finds both; it has no models.
"""
