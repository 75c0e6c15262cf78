"""EMAIL_URL says how letters are sent."""

from __future__ import annotations

import pytest

from config.environment import mail


@pytest.mark.parametrize(
    ("url", "backend", "host", "port", "ssl", "tls"),
    [
        ("smtp://mail.example:2525", "smtp", "mail.example", 2525, False, False),
        ("smtp://mail.example?tls=starttls", "smtp", "mail.example", 587, False, True),
        ("smtp://mail.example", "smtp", "mail.example", 25, False, False),
        ("smtps://mail.example", "smtp", "mail.example", 465, True, False),
        ("console:", "console", "", 25, False, False),
    ],
)
def test_it_names_the_server_and_how_it_is_protected(url, backend, host, port, ssl, tls):
    settings = mail(url)
    assert settings["EMAIL_BACKEND"] == f"django.core.mail.backends.{backend}.EmailBackend"
    assert (settings["EMAIL_HOST"], settings["EMAIL_PORT"]) == (host, port)
    assert (settings["EMAIL_USE_SSL"], settings["EMAIL_USE_TLS"]) == (ssl, tls)


def test_user_and_password_may_hold_any_character():
    settings = mail("smtp://ada%40acme.example:p%3Ass%2F@mail.example")
    assert (settings["EMAIL_HOST_USER"], settings["EMAIL_HOST_PASSWORD"]) == ("ada@acme.example", "p:ss/")


def test_letters_can_go_to_a_folder():
    assert mail("file:///var/mail")["EMAIL_FILE_PATH"] == "/var/mail"


@pytest.mark.parametrize("url", ["", "mail.example", "http://mail.example", "smtp://"])
def test_anything_else_is_refused_with_an_example(url):
    with pytest.raises(ValueError, match="smtp://host"):
        mail(url)
