"""Whether the web side can do its work."""

from django.db import Error, connection
from django.http import HttpRequest, JsonResponse


def healthz(_request: HttpRequest) -> JsonResponse:
    """200 with the database's state, or 503; says nothing that an outsider must not know."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return JsonResponse({"status": "unavailable", "database": "away"}, status=503)
    return JsonResponse({"status": "ok", "database": "ok"})
