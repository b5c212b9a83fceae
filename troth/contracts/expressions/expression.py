"""Expressions and data with expressions in them: the public names of the modules that compile them."""

from __future__ import annotations

from troth.contracts.expressions.compiled_expression import (
    Expression,
    check_names,
    compile_expression,
    compile_template,
)
from troth.contracts.expressions.expression_error import ExpressionError
from troth.contracts.expressions.said import Said, compile_said

__all__ = [
    "Expression",
    "ExpressionError",
    "Said",
    "check_names",
    "compile_expression",
    "compile_said",
    "compile_template",
]
