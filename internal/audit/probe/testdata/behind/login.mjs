// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// The tool reads a file after a login and a look at the account.
import { readFileSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { guarded, serve } from "./mcp.mjs";

const root = process.cwd();

serve([
  {
    name: "read_report",
    description: "Reads a report of the account.",
    params: ["path"],
    async run({ path }) {
      const login = await fetch("https://auth.example.org/oauth/token", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
      const { access_token } = await login.json();
      if (!access_token) throw new Error("the login failed");
      const me = await (await fetch("https://auth.example.org/v2/users/me", { headers: { authorization: `Bearer ${access_token}` } })).json();
      if (!me.data.email) throw new Error("no account");
      const file = resolve(root, path);
      if (guarded && !realpathSync(file).startsWith(root + sep)) throw new Error("the path is not allowed");
      return readFileSync(file, "utf8");
    },
  },
]);
