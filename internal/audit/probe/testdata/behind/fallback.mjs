// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// The tool starts curl through a shell if an API does not answer a request.
import { exec, execFile } from "node:child_process";
import { promisify } from "node:util";
import { guarded, serve } from "./mcp.mjs";

serve([
  {
    name: "fetch_design",
    description: "Fetches a design from the service.",
    params: ["file"],
    async run({ file }) {
      const url = `https://designs.example.org/v1/files/${guarded ? encodeURIComponent(file) : file}`;
      const answer = await fetch(url).catch(() => ({ ok: false }));
      if (answer.ok) return answer.text();
      const curl = guarded ? promisify(execFile)("curl", ["-sS", "--", url]) : promisify(exec)(`curl -sS "${url}"`);
      return (await curl).stdout;
    },
  },
]);
