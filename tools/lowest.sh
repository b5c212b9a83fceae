# Runs a short part of the tests with the lowest versions that pyproject.toml allows, in an environment of its own.
set -eu

home=.cache/lowest
bin=$home/bin

.venv/bin/uv venv --quiet --allow-existing --python .venv/bin/python "$home"
.venv/bin/uv pip install --quiet --python "$bin/python" --resolution lowest-direct --editable . \
    "pytest-timeout>=2.3" "pytest-xdist>=3.6"
.venv/bin/uv pip list --quiet --python "$bin/python"
"$bin/python" -m pytest -n "${WORKERS:-2}" -m "not long and not npm" -q tests/contracts tests/simulators tests/test_errors.py
