"""Single sign-on by OpenID Connect, through a provider of the tenant's own.

Providers are rows of the current tenant: another tenant's are not there. The signature of every identity token is
checked, the token and the provider's user information must be about the same subject, and what follows from it is
decided by `tenants.services.providers`.
"""

from __future__ import annotations

from typing import Any

import jwt
import requests
from allauth.core.internal.datakit import parse_bool_safely
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from kernel.errors import DomainError
from tenants.adapters.issuer_http import issuer_session
from tenants.models import SignInProvider, User
from tenants.selectors.providers import access_provider, providers_enabled
from tenants.services.providers import Claims, client_secret_of, provider_sign_in

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
LEEWAY = 30  # seconds that two clocks may differ


class SignInFailed(DomainError):
    """{provider} could not sign you in. Please try again; if it goes on, tell whoever runs your workspace."""

    code = "sign_in_failed"
    retryable = True
    http_status = 502


class SignInCancelled(DomainError):
    """Nobody was signed in, because signing in with {provider} was cancelled."""

    code = "sign_in_cancelled"
    http_status = 403


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """allauth's view of the current tenant's providers."""

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        if provider in (None, "openid_connect"):
            return [_app(row) for row in providers_enabled()]
        return [_app(access_provider(provider or ""))]

    def get_requests_session(self) -> requests.Session:
        return issuer_session()

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Who this is here, or a refusal. Called before anybody is signed in."""
        row = access_provider(sociallogin.account.provider)
        linked = sociallogin.user if sociallogin.is_existing else None
        user = provider_sign_in(provider=row, claims=_claims(sociallogin), linked=linked)
        if linked is None:
            _link(request, sociallogin, user)

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        refusal = SignInCancelled if error == "cancelled" else SignInFailed
        raise refusal(provider=provider.app.name) from exception


class CheckedOpenID(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """allauth's client, which trusts the connection that a token came over; this one checks its signature as well."""

    def complete_login(self, request: HttpRequest, app: SocialApp, token: Any, **kwargs: Any) -> SocialLogin:
        id_token = kwargs["response"].get("id_token")
        if not id_token:
            raise OAuth2Error("no id_token")
        claims = self._decode_id_token(app, id_token)
        if "email" not in claims and self.openid_config.get("userinfo_endpoint"):
            told = self._fetch_user_info(token.token)
            if told.get("sub") != claims["sub"]:
                raise OAuth2Error("the user information is about somebody else")
            claims = {**told, **claims}
        return self.get_provider().sociallogin_from_response(request, {"id_token": claims})

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        try:
            key = self._signing_key(id_token)
            claims: dict[str, Any] = jwt.decode(
                id_token,
                key=key,
                algorithms=list(ALGORITHMS),
                audience=app.client_id,
                issuer=self.openid_config["issuer"],
                leeway=LEEWAY,
                options={"require": ["exp", "iat", "sub", "aud", "iss"]},
            )
        except jwt.PyJWTError as error:
            raise OAuth2Error("the identity token is not valid") from error
        if claims.get("azp", app.client_id) != app.client_id:
            raise OAuth2Error("the identity token was issued to another client")
        return claims

    def _signing_key(self, id_token: str) -> jwt.PyJWK:
        with issuer_session() as session:
            answer = session.get(self.openid_config["jwks_uri"])
            answer.raise_for_status()
            keys = jwt.PyJWKSet.from_dict(answer.json()).keys
        kid = jwt.get_unverified_header(id_token).get("kid")
        fitting = [key for key in keys if kid is None or key.key_id == kid]
        if len(fitting) != 1:
            raise OAuth2Error("no signing key fits the identity token")
        return fitting[0]


@require_GET
@never_cache
def openid_login(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Off to the provider. allauth's other processes (`connect`, `redirect`) are not for anybody to choose."""
    asked = request.GET.copy()
    asked.pop("process", None)
    request.GET = asked  # type: ignore[assignment]
    access_provider(provider_id)
    return _guarded(OAuth2LoginView, request, provider_id)


@require_GET
@never_cache
def openid_callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    access_provider(provider_id)
    return _guarded(OAuth2CallbackView, request, provider_id)


def _guarded(view: Any, request: HttpRequest, provider_id: str) -> HttpResponse:
    name = access_provider(provider_id).name
    try:
        answer: HttpResponse = view.adapter_view(CheckedOpenID(request, provider_id))(request)
    except (requests.RequestException, OAuth2Error, KeyError, ValueError) as error:
        raise SignInFailed(provider=name) from error
    return answer


def _app(row: SignInProvider) -> SocialApp:
    """A row in allauth's terms. Its id, unlike its slug, is of one tenant only: linked accounts are kept by it."""
    return SocialApp(
        provider="openid_connect",
        provider_id=str(row.pk),
        name=row.name,
        client_id=row.client_id,
        secret=client_secret_of(row),
        settings={"server_url": row.issuer, "oauth_pkce_enabled": True},
    )


def _claims(sociallogin: SocialLogin) -> Claims:
    told = sociallogin.account.extra_data["id_token"]
    return Claims(
        email=str(told.get("email") or "").strip().lower(),
        email_verified=parse_bool_safely(told.get("email_verified")) is True,
        name=str(told.get("name") or ""),
    )


def _link(request: HttpRequest, sociallogin: SocialLogin, user: User) -> None:
    sociallogin.connect(request, user)
