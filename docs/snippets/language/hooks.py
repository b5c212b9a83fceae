"""What the contract of the courier cannot say in the language."""

import hashlib
import hmac

from troth import hookimpl


def check_digit(number):
    """The last digit of a parcel's number."""
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(number)) % 10


class Signed:
    """HMAC of path and body, beside the account that it is for."""

    def sign(self, request, given, at):
        text = request.path.encode() + request.body
        mac = hmac.new(given["key"].encode(), text, hashlib.sha256)
        return {"X-Account": given["account"], "X-Signature": mac.hexdigest()}

    def check(self, request, fits):
        sent = {name.lower(): value.decode() for name, value in request.headers}
        return fits("account", sent.get(b"x-account", "")) and len(sent.get(b"x-signature", "")) == 64


@hookimpl
def troth_filters():
    return {"check_digit": check_digit}


@hookimpl
def troth_auth_kinds():
    return {"courier": Signed()}
