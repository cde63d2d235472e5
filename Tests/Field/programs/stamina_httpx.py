"""httpx below stamina: three attempts after each HTTPError, as the manual of stamina shows."""

import httpx
import stamina
from walk import walk

client = httpx.Client()


@stamina.retry(on=httpx.HTTPError, attempts=3)
def send(method, url, content, fields):
    return client.request(method, url, content=content, headers=fields).raise_for_status().content


walk(send)
