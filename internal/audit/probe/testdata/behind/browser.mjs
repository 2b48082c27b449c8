// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// The tool opens a page in Chromium, or fetches it.
import { spawn } from "node:child_process";
import { serve } from "./mcp.mjs";

const [how] = process.argv.slice(2);

// chromium starts the browser, and returns a function that sends it a command.
function chromium() {
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run", "--user-data-dir=/tmp/browser", "--remote-debugging-pipe"];
  const { stdio } = spawn(process.env.CHROME_PATH, args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const waiting = new Map();
  let text = "";
  let last = 0;
  stdio[4].on("data", (data) => {
    const parts = (text + data).split("\0");
    text = parts.pop();
    for (const part of parts) {
      const { id, method, sessionId, result, error } = JSON.parse(part);
      const key = id ?? method + sessionId;
      waiting.get(key)?.(result ?? error);
      waiting.delete(key);
    }
  });
  const wait = (key) => new Promise((resolve) => waiting.set(key, resolve));
  const send = (method, params, sessionId) => {
    const id = ++last;
    stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return wait(id);
  };
  return { send, wait };
}

let browser;

async function open(url) {
  browser ??= chromium();
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
  await browser.send("Page.enable", {}, sessionId);
  const loaded = browser.wait("Page.loadEventFired" + sessionId);
  const { errorText } = await browser.send("Page.navigate", { url }, sessionId);
  if (!errorText) await loaded;
  const { result } = await browser.send("Runtime.evaluate", { expression: "document.documentElement.outerHTML" }, sessionId);
  await browser.send("Target.closeTarget", { targetId });
  if (errorText) throw new Error(errorText);
  return result.value;
}

serve([
  {
    name: "open_page",
    description: "Returns the text of a page.",
    params: ["url"],
    async run({ url }) {
      if (!/^https?:/.test(url)) throw new Error("only pages of the web");
      if (how === "fetch") return (await fetch(url)).text();
      if (how === "pretend") return (await fetch(url, { headers: { "sec-fetch-mode": "navigate", "upgrade-insecure-requests": "1", accept: "text/html" } })).text();
      return open(url);
    },
  },
]);
