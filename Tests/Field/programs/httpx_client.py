"""A Client of httpx."""

import httpx
from walk import walk

client = httpx.Client()


def send(method, url, content, fields):
    return client.request(method, url, content=content, headers=fields).raise_for_status().content


walk(send)
