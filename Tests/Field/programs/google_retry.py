"""requests below Retry of google-api-core, with its default predicate, waits and timeout."""

import requests
from google.api_core import exceptions, retry
from walk import walk

session = requests.Session()


@retry.Retry()
def send(method, url, content, fields):
    response = session.request(method, url, data=content, headers=fields)
    if response.status_code >= 400:
        raise exceptions.from_http_response(response)
    return response.content


walk(send)
