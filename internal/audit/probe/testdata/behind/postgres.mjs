// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// The tool stores a user of a database in a file.
import { realpathSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { guarded, load, secure, serve } from "./mcp.mjs";

const pg = load();
const root = process.cwd();
const pool = new pg.Pool({ host: "db.example.org", user: "reader", password: "secret", database: "people", ssl: secure });

serve([
  {
    name: "export_user",
    description: "Exports a user.",
    params: ["name", "file"],
    async run({ name, file }) {
      const one = await pool.query("SELECT 1");
      if (one.rows[0]["?column?"] !== 1) throw new Error("no connection");
      const users = guarded ? await pool.query("SELECT id, email FROM users WHERE name = $1", [name]) : await pool.query(`SELECT id, email FROM users WHERE name = '${name}'`);
      if (users.rows.length !== 1 || users.rows[0].id !== 1 || !users.rows[0].email) throw new Error("no such user");
      await pool.query("UPDATE users SET seen = now() WHERE id = $1", [users.rows[0].id]);
      const to = resolve(root, file);
      if (guarded && realpathSync(dirname(to)) !== root) throw new Error("the file is not allowed");
      writeFileSync(to, users.rows[0].email, { flag: "wx" });
      return "exported";
    },
  },
]);
