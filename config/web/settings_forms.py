"""What people change about themselves: name, e-mail address and password."""

from typing import Any

from django import forms
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from config.web.sign_in import begin_sign_in, explain_wait


class PersonForm(forms.ModelForm[User]):
    """The name that is shown, and the e-mail address."""

    class Meta:
        model = User
        fields = ["first_name", "last_name", "email"]


class PasswordForm(PasswordChangeForm):
    """A new password for who knows the old one; wrong ones count as those of signing in do."""

    def __init__(self, user: User, data: Any = None, *, request: HttpRequest | None = None) -> None:
        super().__init__(user, data)
        self._request = request

    def clean_old_password(self) -> str:
        if self._request is None:
            return super().clean_old_password()
        attempt = begin_sign_in(self._request, self.user.get_username())
        if attempt.wait_minutes:
            raise ValidationError(explain_wait(attempt.wait_minutes))
        password = super().clean_old_password()
        attempt.succeed()
        return password
