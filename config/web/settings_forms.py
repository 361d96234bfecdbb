"""What people change about themselves: name, e-mail address and password."""

from typing import Any

from django import forms
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from access.sign_ins import start_sign_in
from config.web.sign_in import explain_wait


class PersonForm(forms.ModelForm[User]):
    """The name that is shown, and the e-mail address."""

    class Meta:
        model = User
        fields = ["first_name", "last_name", "email"]


class PasswordForm(PasswordChangeForm):
    """A new password for who knows the old one; wrong ones count as those of signing in do."""

    def __init__(self, user: User, data: Any = None, *, address: str = "") -> None:
        super().__init__(user, data)
        self._address = address

    def clean_old_password(self) -> str:
        attempt = start_sign_in(self.user.get_username(), self._address)
        if attempt.wait_minutes:
            raise ValidationError(explain_wait(attempt.wait_minutes))
        password = super().clean_old_password()
        attempt.succeed()
        return password
