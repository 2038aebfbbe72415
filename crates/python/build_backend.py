"""Builds the wheel: the Python module, and the program `treegraft` as a script. maturin builds only one of both.

`pip` calls `build_wheel` (PEP 517). To pass options to maturin, such as `--profile dev`:

    python crates/python/build_backend.py DIR OPTION...
"""

import base64
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import maturin
from maturin import (  # noqa: F401
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_wheel,
)

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ["--bindings", "bin", "--manifest-path", str(ROOT / "crates/cli/Cargo.toml")]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _with_program(maturin.build_wheel, wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _with_program(maturin.build_editable, wheel_directory, config_settings, metadata_directory)


def _with_program(build_module, wheel_directory, config_settings, metadata_directory):
    options = maturin.get_maturin_pep517_args(config_settings)
    if not any(option.split("=")[0] in ("--profile", "--release", "-r") for option in options):
        options = ["--profile", "dist", *options]
    if not any(option.split("=")[0] in ("--compatibility", "--manylinux") for option in options):
        options = ["--compatibility", "off", *options]
    with tempfile.TemporaryDirectory() as scratch:
        # `pip` puts the required version into the search path, where `python -m maturin` does not look.
        program = _maturin(["maturin"], Path(scratch, "program"), [*PROGRAM, *options])
        module = Path(scratch) / build_module(scratch, config_settings, metadata_directory)
        return combined(module, program, Path(wheel_directory)).name


def build(folder, options):
    """Builds the wheel with options of `maturin build`, and returns its path."""
    with tempfile.TemporaryDirectory() as scratch:
        maturin_of_python = [sys.executable, "-m", "maturin"]
        program = _maturin(maturin_of_python, Path(scratch, "program"), [*PROGRAM, *options])
        module = _maturin(maturin_of_python, Path(scratch, "module"), options)
        return combined(module, program, folder)


def _maturin(command, folder, options):
    subprocess.run([*command, "build", "--locked", "--out", str(folder), *options], cwd=ROOT, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def combined(module, program, folder):
    """Writes the wheel of the module with the scripts of the other wheel into a directory, and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / module.name
    with zipfile.ZipFile(module) as wheel, zipfile.ZipFile(program) as scripts, zipfile.ZipFile(made, "w") as new:
        (record,) = [name for name in wheel.namelist() if name.endswith(".dist-info/RECORD")]
        added = [entry for entry in scripts.infolist() if ".data/scripts/" in entry.filename]
        assert added, f"{program.name} contains no program"
        lines = wheel.read(record).decode()
        for source, entry in [(wheel, entry) for entry in wheel.infolist()] + [(scripts, entry) for entry in added]:
            if entry.filename == record:
                continue
            content = source.read(entry)
            new.writestr(entry, content, zipfile.ZIP_DEFLATED)
            if source is scripts:
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
                lines = f"{entry.filename},sha256={digest},{len(content)}\n{lines}"
        new.writestr(wheel.getinfo(record), lines, zipfile.ZIP_DEFLATED)
    return made


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), sys.argv[2:]))
