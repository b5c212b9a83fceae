# Runs a short part of the tests, one that reaches every dependency, with the lowest versions that pyproject.toml
# allows, in an environment of its own.
set -eu

home=.cache/lowest
bin=$home/bin

.venv/bin/uv venv --quiet --allow-existing --python .venv/bin/python "$home"
.venv/bin/uv pip install --quiet --python "$bin/python" --resolution lowest-direct --editable . \
    "pytest-timeout>=2.3" "pytest-xdist>=3.6"
.venv/bin/uv pip list --python "$bin/python"
"$bin/python" -m pytest -n "${WORKERS:-2}" -m "not long and not npm" -q \
    tests/test_config.py tests/test_crontab.py tests/cli tests/pytest_plugin \
    tests/contracts/test_model_rules.py tests/runners/test_engine.py tests/runners/test_store.py
