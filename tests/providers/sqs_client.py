"""Calls every operation of the SQS contract with boto3 at the URL in its argument, and prints what came back."""

from __future__ import annotations

import json
import sys
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

client = boto3.client(
    "sqs",
    endpoint_url=sys.argv[1],
    region_name="eu-central-1",
    aws_access_key_id="AKIDEXAMPLE",
    aws_secret_access_key="not-a-key",
    config=Config(retries={"max_attempts": 0}, parameter_validation=False, proxies={}),
)


def refused(call: Any, **values: Any) -> list[str]:
    """The modelled exception of a call that fails, and its code."""
    try:
        call(**values)
    except ClientError as error:
        return [type(error).__name__, error.response["Error"]["Code"]]
    return []


url = client.create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "5"})["QueueUrl"]
sent = client.send_message(
    QueueUrl=url, MessageBody="hé <&>", MessageAttributes={"k": {"DataType": "String", "StringValue": "v"}}
)
asked = {"MaxNumberOfMessages": 10, "AttributeNames": ["All"], "MessageAttributeNames": ["All"]}
received = client.receive_message(QueueUrl=url, WaitTimeSeconds=0, **asked)["Messages"]
print(
    json.dumps(
        {
            "version": boto3.__version__,
            "again": client.create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "5"})["QueueUrl"] == url,
            "found": client.get_queue_url(QueueName="orders")["QueueUrl"] == url,
            "digest": sent["MD5OfMessageBody"],
            "received": [[each["MessageId"] == sent["MessageId"], each["Body"]] for each in received],
            "hidden": client.receive_message(QueueUrl=url).get("Messages"),
            "deleted": client.delete_message(QueueUrl=url, ReceiptHandle=received[0]["ReceiptHandle"])[
                "ResponseMetadata"
            ]["HTTPStatusCode"],
            "taken": refused(client.create_queue, QueueName="orders", Attributes={"VisibilityTimeout": "6"}),
            "too_many": refused(client.receive_message, QueueUrl=url, MaxNumberOfMessages=11),
            "empty": refused(client.send_message, QueueUrl=url, MessageBody=""),
            "bad_handle": refused(client.delete_message, QueueUrl=url, ReceiptHandle="nonsense"),
            "gone": client.delete_queue(QueueUrl=url)["ResponseMetadata"]["HTTPStatusCode"],
            "missing": refused(client.get_queue_url, QueueName="orders"),
            "missing_url": refused(client.send_message, QueueUrl=url, MessageBody="too late"),
            "request_id": bool(sent["ResponseMetadata"]["RequestId"]),
        }
    )
)
