"""What a site's pages load, below `/t/<tenant>/`."""

from __future__ import annotations

from django.urls import path

from conversations.widget import views

urlpatterns = [
    path("widget.js", views.loader, name="widget-loader"),
    path("widget/frame", views.frame, name="widget-frame"),
    path("widget/<slug:digest>/<path:name>", views.asset, name="widget-asset"),
]
