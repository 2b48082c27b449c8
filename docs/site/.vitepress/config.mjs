// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// The site is built from the repository's own Markdown files. Links between them work as on a code host; links to other
// files lead to the repository.

import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = normalize(join(dirname(fileURLToPath(import.meta.url)), ".."));
const root = normalize(join(here, "../.."));
const repository = "https://github.com/toolvet/toolvet";

// pages are those of the site; every other Markdown file stays in the repository.
const page = (file) =>
  /^(README|SECURITY|CONTRIBUTING|CHANGELOG)\.md$|^(docs|policy\/samples|protocol|bench|checks|internal\/(rule|pin|rehearsal)|examples\/clients|mcpgo)\/(?!site\/).*\.md$/.test(file);

// link rewrites a link on the page of a file.
function link(href, file) {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path, fragment] = href.split("#");
  const target = relative(root, join(root, dirname(file), path));
  const hash = fragment ? "#" + fragment : "";
  if (!existsSync(join(root, target))) throw new Error(`${file} links to ${href}, which does not exist`);
  if (page(target)) return "/" + target.replace(/README\.md$/, "").replace(/\.md$/, "") + hash;
  return `${repository}/${statSync(join(root, target)).isDirectory() ? "tree" : "blob"}/main/${target}${hash}`;
}

function repositoryLinks(md) {
  md.core.ruler.push("repository-links", (state) => {
    const file = relative(root, state.env.realPath ?? state.env.path);
    for (const block of state.tokens) {
      if (block.type === "code_block") Object.assign(block, { type: "fence", info: "sh", markup: "```" }); // an indented command
      if (block.type === "html_block" && block.content.trimStart().startsWith("<!--")) block.content = "";
      for (const token of block.children ?? []) {
        if (token.type === "link_open") token.attrSet("href", link(token.attrGet("href"), file));
      }
    }
  });
  // What stands in the text is text: <PACKAGE> is no element of Vue, and {{ no expression.
  md.renderer.rules.text = (tokens, i) => md.utils.escapeHtml(tokens[i].content).replaceAll("{{", "&#123;&#123;");
}

const section = (text, items) => ({ text, collapsed: false, items: items.map(([text, link]) => ({ text, link })) });

export default {
  title: "toolvet",
  description: "Vets MCP tool calls before they run",
  srcDir: "../..",
  outDir: ".vitepress/dist",
  cacheDir: ".vitepress/cache",
  srcExclude: ["**/node_modules/**", "**/testdata/**", "**/.tmp/**", "docs/site/**", "cmd/**"],
  rewrites: (id) => (id.endsWith("README.md") ? id.replace(/README\.md$/, "index.md") : id),
  cleanUrls: true,
  ignoreDeadLinks: false,
  // Vue lies beside this file, and the pages above it.
  vite: { resolve: { alias: [{ find: /^vue(\/server-renderer)?$/, replacement: join(here, "node_modules/vue$1") }] } },
  markdown: { config: repositoryLinks, anchor: { slugify: slug } },
  themeConfig: {
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: repository }],
    nav: [
      { text: "Start", link: "/docs/start" },
      { text: "Which command?", link: "/docs/#which-command-do-i-need" },
      { text: "Protocol", link: "/docs/protocol" },
      { text: "Changes", link: "/CHANGELOG" },
    ],
    sidebar: [
      section("Begin", [["toolvet", "/"], ["Five minutes", "/docs/start"], ["All documentation", "/docs/"], ["Every command", "/docs/commands"], ["Troubleshooting", "/docs/troubleshooting"], ["Glossary", "/docs/glossary"]]),
      section("Guides", [
        ["Coding agents", "/docs/guides/coding-agents"],
        ["One gateway for a team", "/docs/guides/gateway"],
        ["Run a job every night", "/docs/guides/nightly-job"],
        ["Is this server safe?", "/docs/guides/safe-server"],
        ["Write a check", "/docs/guides/write-a-check"],
      ]),
      section("Policies", [["Write, test, change", "/docs/policies"], ["Every key", "/docs/policy-keys"], ["Access rules", "/internal/rule/"], ["Checks", "/docs/checks"], ["Presets", "/docs/presets"], ["Ready policies", "/policy/samples/"], ["Pinning", "/docs/pinning"], ["Dry runs by example", "/docs/sessions"]]),
      section("Servers and agents", [["Setup", "/docs/setup"], ["Servers by name", "/docs/servers"], ["Gateway", "/docs/gateway"], ["HTTP", "/docs/http"], ["Authorization", "/docs/authorization"], ["Containment", "/docs/contain"], ["Hooks", "/docs/hooks"], ["Log", "/docs/log"]]),
      section("Try and schedule", [["Rehearsals", "/docs/rehearsal"], ["Audits", "/docs/audit"], ["Scheduler", "/docs/scheduler"], ["Other schedulers", "/docs/workflows"]]),
      section("Explanations", [["How a call travels", "/docs/how-a-call-travels"], ["Promises and limits", "/SECURITY"], ["Rough edges", "/docs/rough-edges"], ["Design", "/docs/design"], ["Packages", "/docs/packages"], ["Beside others", "/docs/comparison"]]),
      section("The standard", [["Validation protocol", "/docs/protocol"], ["Conformance kit", "/docs/conformance"], ["The proposal", "/protocol/sep"], ["Implementations", "/protocol/"]]),
    ],
  },
};

// slug makes the anchors of a code host, so that links with a fragment work in both places.
function slug(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}
