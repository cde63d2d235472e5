"""A Session of requests. With the argument "retry" it has the Retry that the manual of requests shows for POST."""

import sys

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry
from walk import walk

session = requests.Session()
if sys.argv[1:] == ["retry"]:
    retries = Retry(total=3, backoff_factor=0.1, status_forcelist=[502, 503, 504], allowed_methods={"GET", "POST"})
    session.mount("http://", HTTPAdapter(max_retries=retries))


def send(method, url, content, fields):
    response = session.request(method, url, data=content, headers=fields)
    response.raise_for_status()
    return response.content


walk(send)
