"""A Session of niquests."""

import niquests
from walk import walk

session = niquests.Session()


def send(method, url, content, fields):
    response = session.request(method, url, data=content, headers=fields)
    response.raise_for_status()
    return response.content


walk(send)
