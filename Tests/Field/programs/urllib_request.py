"""urllib.request, which raises HTTPError for a status of failure by itself."""

import urllib.request

from walk import walk


def send(method, url, content, fields):
    request = urllib.request.Request(url, content and content.encode(), fields, method=method)
    with urllib.request.urlopen(request) as response:
        return response.read()


walk(send)
