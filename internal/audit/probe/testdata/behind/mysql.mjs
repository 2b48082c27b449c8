// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// The tool greets a user of a database, by a program.
import { execFileSync, execSync } from "node:child_process";
import { createRequire } from "node:module";
import { guarded, secure, serve } from "./mcp.mjs";

const mysql = createRequire(process.argv[2])("./promise");
const pool = mysql.createPool({ host: "localhost", user: "reader", password: "secret", database: "people", ssl: secure ? {} : undefined });

serve([
  {
    name: "greet_user",
    description: "Greets a user.",
    params: ["name", "greeting"],
    async run({ name, greeting }) {
      const [one] = await pool.query("SELECT 1");
      if (one[0]["1"] !== 1) throw new Error("no connection");
      const [users] = guarded ? await pool.execute("SELECT id, email AS mail FROM users WHERE name = ?", [name]) : await pool.query(`SELECT id, email AS mail FROM users WHERE name = '${name}'`);
      if (users.length !== 1 || users[0].id !== 1 || !users[0].mail) throw new Error("no such user");
      await pool.execute("UPDATE users SET seen = now() WHERE id = ?", [users[0].id]);
      return guarded ? execFileSync("echo", ["--", greeting]) : execSync(`echo ${greeting}`);
    },
  },
]);
