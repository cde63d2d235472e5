"""boto3 before moto, a backend that plays Amazon DynamoDB: six times "ADD 1" to a counter, and the counter at the end."""

import json
import os
import sys
import time
import urllib.request

import boto3
from walk import PAUSE, tell

KEY = {"id": {"S": "visits"}}


def client(url):
    return boto3.client("dynamodb", endpoint_url=url, region_name="eu-west-1", aws_access_key_id="none", aws_secret_access_key="none")


def add():
    failed = False
    dynamodb = client(os.environ["UNDERSTUDY_URL"])
    for _ in range(6):
        try:
            dynamodb.update_item(TableName="counters", Key=KEY, UpdateExpression="ADD visits :one", ExpressionAttributeValues={":one": {"N": "1"}})
            tell("add", "ok", "1")
        except Exception as error:
            failed = True
            tell("add", "error", f"{type(error).__name__}: {error}")
            time.sleep(PAUSE)
    sys.exit(failed)


def reset():
    urllib.request.urlopen(urllib.request.Request(os.environ["BACKEND_URL"] + "/moto-api/reset", method="POST")).read()
    client(os.environ["BACKEND_URL"]).create_table(
        TableName="counters", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])


def look():
    item = client(os.environ["BACKEND_URL"]).get_item(TableName="counters", Key=KEY, ConsistentRead=True).get("Item", {"visits": {"N": "0"}})
    print(json.dumps({"add": int(item["visits"]["N"])}))


{"reset": reset, "look": look, "client": add}[sys.argv[1]]()
