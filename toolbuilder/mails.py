"""Mails to people of this installation."""

import logging
from collections.abc import Collection
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail

_logger = logging.getLogger(__name__)


def mail_people(usernames: Collection[str], subject: str, text: str) -> None:
    """Send it to those who have an address; what cannot be sent is logged and hinders nothing.

    Without EMAIL_URL nothing is sent.
    """
    people = User.objects.filter(username__in=usernames, is_active=True).exclude(email="")
    if settings.EMAIL_HOST and people:
        try:
            send_mail(subject, text, None, [user.email for user in people])
        except (OSError, SMTPException) as error:
            _logger.warning("the mail %r was not sent: %s", subject, error)
