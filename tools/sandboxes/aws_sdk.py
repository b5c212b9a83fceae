"""boto3, Amazon's official Python SDK: a version that calls SQS in JSON, and one that calls it by forms and XML."""

from __future__ import annotations

from pathlib import Path

from sandboxes.installing import LOCKS, python_environment

__all__ = ["FORMS", "JSON", "aws_sdk"]

JSON = "1.44.8"
FORMS = "1.28.0"


def aws_sdk(version: str) -> Path:
    """The interpreter that has it. Raises Unavailable when it cannot be had."""
    return python_environment(LOCKS / f"boto3-{version}.txt")
