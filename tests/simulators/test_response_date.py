"""The ``Date`` of a response, as the standard library writes it."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from troth.contracts.exchange import Response
from troth.simulators.response_writer import ResponseWriter


@pytest.mark.parametrize("second", [0, 784111777, 951782399, 951868800, 1709164800, 1796000000, 4102444799])
def test_date_is_that_of_the_standard_library(second: int) -> None:
    message = ResponseWriter().write(Response(200), "GET", second + 0.9, True, "1.1")
    assert f"Date: {formatdate(second, usegmt=True)}\r\n".encode() in message
