#!/usr/bin/env bash
# Runs the tests with all languages: those of `cargo test`, and those that need a client that is not
# part of the build. Installs the required tools once, under target/test-tools/. With --full, the long
# tests try all their cases, and every flow runs in the browser. Other arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = "--full" ]; then
    export TREEGRAFT_TEST_FULL=1
    shift
fi

# What this script does not install itself. A build of all tests takes 8 GB, the tools take 2 GB.
lacks() {
    echo "tests/all.sh: $1" >&2
    exit 1
}
[ "$(uname -s)" = Linux ] || lacks "the tests run on Linux; elsewhere, run cargo test --all-features"
for program in cargo cc git npm python3 tar; do
    command -v "$program" >/dev/null || lacks "$program is missing; install it and start again"
done
needed=12
[ ! -d target/debug ] || needed=3
free="$(df --output=avail --block-size=1G . | tail -1 | tr -d ' ')"
[ "$free" -ge "$needed" ] || lacks "$free GB are free on the disk of $PWD, and $needed GB are needed"

tools="$PWD/target/test-tools"
venv="$tools/venv"
requirements="tests/requirements.txt"
installed="$tools/requirements.txt"

missing() {
    echo "tests/all.sh: could not install $1; some tests cannot run without it" >&2
    exit 1
}

if ! cmp -s "$requirements" "$installed" || [ ! -x "$venv/bin/python" ]; then
    mkdir -p "$tools"
    rm -rf "$venv" "$installed"
    command -v python3 >/dev/null || missing "python3"
    python3 -m venv "$venv" || missing "a Python virtual environment (python3 -m venv)"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --requirement "$requirements" || missing "the packages of $requirements"
    # Written last, so that an interrupted installation starts again.
    cp "$requirements" "$installed"
fi

node="$tools/node"
packages="tests/surfaces/package.json"
if ! cmp -s "$packages" "$node/installed.json"; then
    rm -rf "$node"
    mkdir -p "$node"
    command -v npm >/dev/null || missing "npm"
    cp "$packages" "$node/package.json"
    npm install --prefix "$node" --no-fund --no-audit --no-package-lock --loglevel error ||
        missing "the packages of $packages"
    cp "$packages" "$node/installed.json"
fi

# These servers need an older TypeScript.
components="$tools/components"
packages="tests/surfaces/components/package.json"
if ! cmp -s "$packages" "$components/installed.json"; then
    rm -rf "$components"
    mkdir -p "$components"
    cp "$packages" "$components/package.json"
    npm install --prefix "$components" --no-fund --no-audit --no-package-lock --loglevel error ||
        missing "the packages of $packages"
    cp "$packages" "$components/installed.json"
fi

# bash-language-server needs it for diagnostics.
mkdir -p "$tools/bin"
ln -sf "$venv/bin/shellcheck" "$tools/bin/shellcheck"
export PATH="$tools/bin:$PATH"

# These two servers belong to a toolchain. A rustup proxy may exist without its program.
if ! rust-analyzer --version >/dev/null 2>&1 || [ ! -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ]; then
    rustup component add rust-analyzer rust-src ||
        missing "rust-analyzer (rustup component add rust-analyzer rust-src)"
    rust-analyzer --version || missing "a rust-analyzer that starts"
fi
if ! gopls version >/dev/null 2>&1 || ! go version >/dev/null 2>&1; then
    as_root=""
    [ "$(id -u)" -eq 0 ] || as_root="sudo"
    { $as_root apt-get update && $as_root apt-get install --yes gopls golang-go; } ||
        missing "gopls and go (on Debian: apt-get install gopls golang-go)"
fi

# The browser that shows the review page.
find_chromium() { command -v chromium || command -v chromium-browser; }
if ! find_chromium >/dev/null; then
    as_root=""
    [ "$(id -u)" -eq 0 ] || as_root="sudo"
    { $as_root apt-get update && $as_root apt-get install --yes --no-install-recommends chromium; } ||
        missing "Chromium (on Debian: apt-get install chromium)"
fi
TREEGRAFT_TEST_CHROMIUM="$(find_chromium)"

export TREEGRAFT_TEST_CHROMIUM
export TREEGRAFT_TEST_NODE="$node/node_modules/.bin"
export TREEGRAFT_TEST_COMPONENTS="$components/node_modules"
export TREEGRAFT_TEST_PYTHON="$venv/bin/python"
export TREEGRAFT_TEST_MDBOOK="$venv/bin/mdbook"
# The compiled part of the Python package.
export TREEGRAFT_TEST_PYTHON_MODULE="${CARGO_TARGET_DIR:-$PWD/target}/debug/lib_native.so"
# xtask runs the server of the conformance suite.
cargo build --locked --all-features --package xtask --package treegraft-python
cargo test --workspace --locked --all-features "$@"

# The tests of the languages pass with those of the default features, and each package builds from its own archive.
if [ "${TREEGRAFT_TEST_FULL:-}" = 1 ] && [ $# -eq 0 ]; then
    cargo test --locked --test main -- cases:: languages:: lists:: readme::
    cargo package --locked --allow-dirty --target-dir "${CARGO_TARGET_DIR:-target}/packages" \
        --package treegraft --package treegraft-loopback --package treegraft-review --package treegraft-cli
fi

# Runs the benchmark once on small files, to check that it still works; its figures mean nothing in
# a debug build.
if [ $# -eq 0 ]; then
    output="$(cargo test --quiet --locked --all-features --bench ratios 2>&1)" || {
        echo "$output"
        exit 1
    }
fi
