"""A PoolManager of urllib3, whose default is three retries."""

import urllib3
from walk import walk

pool = urllib3.PoolManager()


def send(method, url, content, fields):
    response = pool.request(method, url, body=content, headers=fields)
    if response.status >= 400:
        raise urllib3.exceptions.HTTPError(f"status {response.status}")
    return response.data


walk(send)
