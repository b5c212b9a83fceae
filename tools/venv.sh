# Makes .venv from requirements.lock, or brings it up to date; says nothing when there is nothing to do.
#
# Runs from the repository root. What was installed is remembered by content, not by time stamps, so that a fresh
# clone, a branch switch or an unpacked archive neither misses a change nor installs for nothing.
set -eu

venv=.venv
seen="$venv/.installed"

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    for name in ${PYTHON:-} python3.11 python3.12 python3.13 python3.14 python3 python; do
        if command -v "$name" >/dev/null && fits "$name"; then
            command -v "$name"
            return
        fi
    done
    echo "Troth needs Python 3.11 or newer, and none of python3.11 to python3.14, python3 and python is that." >&2
    echo "Install one, or name it: make PYTHON=/path/to/python" >&2
    exit 1
}

create() {
    python=$(find_python)
    echo "Making $venv with $("$python" --version) ($python)"
    rm -rf "$venv"
    if ! "$python" -m venv "$venv"; then
        rm -rf "$venv"
        echo "$python cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv" >&2
        exit 1
    fi
    # Half an environment must not pass for a whole one.
    trap 'rm -f "$seen.lock"' EXIT
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
    cp requirements.lock "$seen.lock"
    rm -f "$seen.project"
    trap - EXIT
}

if ! cmp -s requirements.lock "$seen.lock" || ! fits "$venv/bin/python"; then
    create
fi
if ! cmp -s pyproject.toml "$seen.project"; then
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
    cp pyproject.toml "$seen.project"
fi
