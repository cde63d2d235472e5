"""requests below tenacity: three attempts with growing random waits, as the manual of tenacity shows for one who shares a service."""

import requests
from tenacity import retry, stop_after_attempt, wait_random_exponential
from walk import walk

session = requests.Session()


@retry(stop=stop_after_attempt(3), wait=wait_random_exponential(multiplier=0.1, max=1), reraise=True)
def send(method, url, content, fields):
    response = session.request(method, url, data=content, headers=fields)
    response.raise_for_status()
    return response.content


walk(send)
