"""The client of the OpenAI SDK, whose functions for other paths retry as those for its own."""

import json

import openai
from walk import walk

client = openai.OpenAI(base_url="http://localhost", api_key="none")


def send(method, url, content, fields):
    options = {"headers": fields}
    response = (
        client.get(url, cast_to=object, options=options) if method == "GET"
        else client.post(url, cast_to=object, body=json.loads(content), options=options))
    return json.dumps(response)


walk(send)
