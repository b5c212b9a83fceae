"""The pytest plugin: contracts become test items, simulators become fixtures."""

from __future__ import annotations
