#!/usr/bin/env node
// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Starts the program of this machine's own package. There is no install script: npm installs that package by its "os" and
// "cpu", and nothing is downloaded besides.
"use strict";

const { spawn } = require("node:child_process");

const name = `@SCOPE@/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/@NAME@${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`@NAME@: the package ${name} is not installed. Install @NPM@ again without --omit=optional; if ${name} does not exist, see @REPOSITORY@/blob/main/docs/install.md`);
  process.exit(2);
}

// Newer versions of Node.js can become the program, and so leave no process between it and its caller.
if (process.platform !== "win32" && typeof process.execve === "function") {
  try {
    process.execve(program, [program, ...process.argv.slice(2)], process.env);
  } catch {
    // the way below does for all
  }
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`@NAME@: cannot start ${program}: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
