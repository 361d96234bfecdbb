"""The people who sign in: the list with the form of a new one, switching one off, and a new password."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import password_validation, update_session_auth_hash
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from access.roles.models import RoleGrant
from access.views.gates import ADD_PEOPLE, CHANGE_PEOPLE, SEE_PEOPLE, for_staff_with, user_of

SHOWN = 500


class AccountForm(forms.ModelForm[User]):
    """A person who signs in, by a password or, without one, by an issuer."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        required=False,
        strip=False,
        max_length=1_000,
        help_text=gettext_lazy("Empty: signs in by an issuer alone."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", "class": "input"}),
    )

    class Meta:
        model = User
        fields = ["username", "first_name", "email"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["first_name"].label = gettext_lazy("Name")
        for field in self.fields.values():
            field.widget.attrs |= {"class": "input", "autocomplete": "off"}

    def clean_password(self) -> str:
        """The password, if it is a good one."""
        password = str(self.cleaned_data["password"])
        if password:
            password_validation.validate_password(password, self.instance)
        return password

    def save(self, commit: bool = True) -> User:
        # Without a password Django marks the row as one that has none.
        self.instance.set_password(self.cleaned_data["password"] or None)
        return super().save(commit)


@sensitive_post_parameters("password")
@never_cache
@for_staff_with(SEE_PEOPLE)
@require_http_methods(["GET", "POST"])
def people_list(request: HttpRequest) -> HttpResponse:
    """Who signs in, with their roles; posted, one more."""
    may_add = user_of(request).has_perm(ADD_PEOPLE)
    if request.method != "POST":
        return _render(request, AccountForm() if may_add else None)
    if not may_add:
        raise PermissionDenied(
            _("Ask an administrator for the right, or sign in as somebody else.")
        )
    form = AccountForm(request.POST)
    if not form.is_valid():
        return _render(request, form, status=422)
    person = form.save()
    messages.success(request, _("%s was added. Give a role next.") % person.username)
    return redirect("people")


@for_staff_with(SEE_PEOPLE, CHANGE_PEOPLE)
@require_POST
def person_active(request: HttpRequest, user_pk: int) -> HttpResponse:
    """Switches a person off, or on again: sessions end, and their keys are refused meanwhile."""
    person = _find_person(request, user_pk)
    if person == request.user:
        raise PermissionDenied(_("You cannot switch yourself off."))
    person.is_active = not person.is_active
    person.save(update_fields=["is_active"])
    text = _("%s can sign in again.") if person.is_active else _("%s cannot sign in any more.")
    messages.success(request, text % person.username)
    return redirect("people")


@sensitive_post_parameters("password")
@never_cache
@for_staff_with(SEE_PEOPLE, CHANGE_PEOPLE)
@require_POST
def person_password(request: HttpRequest, user_pk: int) -> HttpResponse:
    """Gives a person a new password; their sessions end, but for the one that asked for it."""
    person = _find_person(request, user_pk)
    password = request.POST.get("password", "")[:1_000]
    try:
        password_validation.validate_password(password, person)
    except forms.ValidationError as error:
        messages.error(request, f"{person.username}: {' '.join(error.messages)}")
        return redirect("people")
    person.set_password(password)
    person.save(update_fields=["password"])
    if person == request.user:
        update_session_auth_hash(request, person)
    messages.success(request, _("%s has a new password.") % person.username)
    return redirect("people")


def _find_person(request: HttpRequest, user_pk: int) -> User:
    """The person; superusers are changed by superusers alone."""
    person = get_object_or_404(User, pk=user_pk)
    if person.is_superuser and not user_of(request).is_superuser:
        raise PermissionDenied(_("Only a superuser changes a superuser."))
    return person


def _render(request: HttpRequest, form: AccountForm | None, status: int = 200) -> HttpResponse:
    words = request.GET.get("q", "").replace("\0", "")[:200].split()
    people = User.objects.order_by("-is_active", "username")
    for word in words:
        names = ("username", "first_name", "last_name", "email")
        people = people.filter(*[Q.create([(f"{n}__icontains", word) for n in names], Q.OR)])
    shown = list(people.prefetch_related("groups")[:SHOWN])
    roles: dict[int, list[RoleGrant]] = {}
    for grant in RoleGrant.objects.filter(user__in=shown).select_related("toolset"):
        roles.setdefault(grant.user_id or 0, []).append(grant)
    context = {
        "people": [(person, roles.get(person.pk, [])) for person in shown],
        "words": " ".join(words),
        "form": form,
        "may_change": user_of(request).has_perm(CHANGE_PEOPLE),
    }
    return render(request, "access/people.html", context, status=status)
