"""requests below backoff: three attempts with exponential waits after each RequestException, as the manual of backoff shows."""

import backoff
import requests
from walk import walk

session = requests.Session()


@backoff.on_exception(backoff.expo, requests.exceptions.RequestException, max_tries=3)
def send(method, url, content, fields):
    response = session.request(method, url, data=content, headers=fields)
    response.raise_for_status()
    return response.content


walk(send)
