"""The doors of identity inside a tenant, on django-allauth: signing in, second factor, single sign-on, the account."""
