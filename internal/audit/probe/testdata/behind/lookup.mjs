// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// The tool looks a host up in a list of an API, and starts a program with its name.
import { execFileSync, execSync } from "node:child_process";
import { guarded, serve } from "./mcp.mjs";

serve([
  {
    name: "restart_host",
    description: "Restarts a host of the inventory.",
    params: ["name"],
    async run({ name }) {
      const hosts = await (await fetch(`https://inventory.example.org/api/hosts?name=${encodeURIComponent(name)}`)).json();
      if (!hosts.length || !hosts[0].id) throw new Error("no such host");
      return guarded ? execFileSync("echo", ["--", name]) : execSync(`echo ${hosts[0].id} ${name}`);
    },
  },
]);
