#!/usr/bin/env node
// Starts the program of the package for this platform. npm installs that package as an optional
// dependency; nothing is downloaded here, and no script runs at installation.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

// Returns the packages whose program runs on a platform, best first. A static program also runs
// where glibc is, or where the libc is unknown.
function packagesFor(platform, arch, isMusl) {
  const name = `@treegraft/${platform}-${arch}`;
  if (platform !== "linux") return [name];
  return isMusl ? [`${name}-musl`] : [name, `${name}-musl`];
}

// Returns whether node itself uses musl instead of glibc.
function isMusl() {
  if (process.platform !== "linux") return false;
  try {
    const { header } = process.report.getReport();
    return !header.glibcVersionRuntime;
  } catch {
    return false;
  }
}

// Returns the path of the program, or undefined if no package with it is installed.
function findProgram(packages, platform, resolve) {
  const file = platform === "win32" ? "treegraft.exe" : "treegraft";
  for (const name of packages) {
    try {
      return path.join(path.dirname(resolve(`${name}/package.json`)), file);
    } catch {
      // The next package may be installed.
    }
  }
  return undefined;
}

function complain(message, help) {
  process.stderr.write(`error: ${message}\nhelp: ${help}\n`);
  // The exit code of treegraft for a problem of the environment.
  process.exitCode = 3;
}

function main() {
  const packages = packagesFor(process.platform, process.arch, isMusl());
  const program = findProgram(packages, process.platform, require.resolve);
  if (program === undefined) {
    complain(
      `no treegraft program for ${process.platform}-${process.arch} is installed`,
      `npm installs ${packages[0]} with treegraft, unless optional dependencies are omitted ` +
        `(--omit=optional); if the package does not exist, build treegraft from source`,
    );
    return;
  }
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  // A client may end only this process; the program decides what the signal means.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    const isThere = fs.existsSync(program);
    complain(
      `could not start ${program}: ${error.message}`,
      isThere ? "check that the file is executable" : "install treegraft again",
    );
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (os.constants.signals[signal] ?? 0);
  });
}

if (require.main === module) main();

module.exports = { findProgram, packagesFor };
