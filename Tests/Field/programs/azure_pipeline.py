"""A PipelineClient of azure-core, with the RetryPolicy that the clients of Azure have by default."""

from azure.core import PipelineClient
from azure.core.pipeline.policies import RetryPolicy
from azure.core.rest import HttpRequest
from walk import walk

client = PipelineClient("http://localhost", policies=[RetryPolicy()])


def send(method, url, content, fields):
    response = client.send_request(HttpRequest(method, url, headers=fields, content=content))
    response.raise_for_status()
    return response.content


walk(send)
