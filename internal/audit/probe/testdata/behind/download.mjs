// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// The tool stores a file that an API names, below a path of the caller.
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { guarded, serve } from "./mcp.mjs";

const root = process.cwd();

serve([
  {
    name: "save_asset",
    description: "Saves an asset to a local folder.",
    params: ["asset_id", "folder"],
    async run({ asset_id, folder }) {
      const answer = await fetch(`https://api.assets.example.org/v1/assets/${encodeURIComponent(asset_id)}`, { headers: { accept: "application/json" } });
      if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
      const asset = await answer.json();
      const file = await fetch(asset.download_url);
      const to = resolve(root, folder, asset.filename);
      if (guarded && realpathSync(dirname(to)) !== root) throw new Error("the folder is not allowed");
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, Buffer.from(await file.arrayBuffer()));
      return "saved";
    },
  },
]);
