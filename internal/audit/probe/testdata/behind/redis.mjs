// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// The tool reads a file after a look at a store of sessions.
import { readFileSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { guarded, load, secure, serve } from "./mcp.mjs";

const { Redis } = load();
const root = process.cwd();
const store = new Redis({ host: "cache.example.org", password: "secret", lazyConnect: true, tls: secure ? {} : undefined });

serve([
  {
    name: "read_note",
    description: "Reads a note.",
    params: ["path"],
    async run({ path }) {
      await store.set("session", JSON.stringify({ user: 7 }), "EX", 60);
      const session = JSON.parse(await store.get("session"));
      if (session.user !== 7 || (await store.get("absent")) !== null || (await store.incr("reads")) < 1) throw new Error("no session");
      const file = resolve(root, path);
      if (guarded && !realpathSync(file).startsWith(root + sep)) throw new Error("the path is not allowed");
      return readFileSync(file, "utf8");
    },
  },
]);
