"""PyYAML's parser in Python, for a PyYAML that was built without libyaml.

Slower than libyaml by a factor of about ten, and it reads the same language: PyYAML's own scanner ends an unquoted text
inside braces at a question mark (YAML 1.1), which would forbid ``{note?: $string}``.
"""

from __future__ import annotations

import yaml
from yaml.scanner import ScannerError
from yaml.tokens import ScalarToken

__all__ = ["PureLoader"]

_BLANK = "\0 \t\r\n\x85\u2028\u2029"


class PureLoader(yaml.SafeLoader):
    """Events as libyaml gives them."""

    def scan_plain(self) -> ScalarToken:
        """An unquoted text. As in YAML 1.2, and in libyaml, it may hold a question mark inside braces."""
        chunks: list[str] = []
        start = end = self.get_mark()
        indent = self.indent + 1
        spaces: list[str] | None = []
        while spaces is not None and self.peek() != "#":
            length = self._plain_length(start)
            if length == 0:
                break
            self.allow_simple_key = False
            chunks.extend(spaces)
            chunks.append(self.prefix(length))
            self.forward(length)
            end = self.get_mark()
            spaces = self.scan_plain_spaces(indent, start)
            if not spaces or (not self.flow_level and self.column < indent):
                break
        return ScalarToken("".join(chunks), True, start, end)

    def _plain_length(self, start: yaml.Mark) -> int:
        length = 0
        ends = _BLANK + (",[]{}" if self.flow_level else "")
        while True:
            char = self.peek(length)
            if char in ends:
                return length
            if char == ":" and self.peek(length + 1) in ends:
                if self.flow_level and self.peek(length + 1) in ",[]{}":
                    self.forward(length)
                    raise ScannerError("while scanning a plain scalar", start, "found unexpected ':'", self.get_mark())
                return length
            length += 1
