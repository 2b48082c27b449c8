// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// The tool sends a file by mail.
import { createReadStream, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { guarded, load, secure, serve } from "./mcp.mjs";

const mailer = load();
const root = process.cwd();
const transport = mailer.createTransport({ host: "smtp.example.org", port: secure ? 465 : 587, secure, auth: { user: "sender", pass: "secret" } });

serve([
  {
    name: "send_report",
    description: "Sends a report.",
    params: ["attachment"],
    async run({ attachment }) {
      await transport.sendMail({ from: "a@example.org", to: "b@example.org", subject: "soon", text: "A report follows." });
      const file = resolve(root, attachment);
      if (guarded && !realpathSync(file).startsWith(root + sep)) throw new Error("the path is not allowed");
      const sent = await transport.sendMail({ from: "a@example.org", to: "b@example.org", subject: "report", attachments: [{ filename: "report", content: createReadStream(file) }] });
      return sent.response;
    },
  },
]);
