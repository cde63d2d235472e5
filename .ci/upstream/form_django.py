"""A form in Django, whose protection against forged requests compares Origin with Host. The argument is the port."""

import sys

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.urls import path

settings.configure(
    DEBUG=True, SECRET_KEY="a secret of a test", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["localhost", "127.0.0.1"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"])


def form(request):
    if request.method == "POST":
        return redirect("/done/")
    # The token is new each time, so it is not shown.
    get_token(request)
    return HttpResponse("a form")


def lines(_):
    return StreamingHttpResponse((f"line {number}\n" for number in range(3)), content_type="text/plain")


urlpatterns = [
    path("form/", form), path("done/", lambda request: HttpResponse(request.build_absolute_uri())), path("lines/", lines),
]

if __name__ == "__main__":
    from django.core.management import execute_from_command_line

    execute_from_command_line(["manage.py", "runserver", "--noreload", f"127.0.0.1:{sys.argv[1]}"])
