import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { parseOptions } from "./command.ts";
import { policyHeader } from "../html/content-security-policy.ts";
import { writeDocs } from "./docs/build.ts";

const usage = `
Usage: npm run assets

Builds the static assets into dist/assets: style sheets and scripts, the pages of the documentation, and Swagger UI
from its package. wrangler runs this before it serves, bundles or deploys.
`;

parseOptions(usage, {});

const sourceFolder = new URL("../assets", import.meta.url).pathname;
const target = "dist/assets";
const outputFolder = join(target, "assets");

rmSync(target, { recursive: true, force: true });
mkdirSync(outputFolder, { recursive: true });
cpSync(join(sourceFolder, "icon.svg"), join(outputFolder, "icon.svg"));
await build({
  entryPoints: [
    ...["style.css", "data.css", "docs.css", "documentation.css"].map((name) =>
      join(sourceFolder, name),
    ),
    ...["page.ts", "data.ts", "editor.ts", "docs.ts", "documentation.ts"].map((name) =>
      join(sourceFolder, "scripts", name),
    ),
  ],
  entryNames: "[name]",
  outdir: outputFolder,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
});

const swagger = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"]) {
  // Removes the references to source maps, which the Worker does not serve.
  const text = readFileSync(join(swagger, name), "utf8");
  writeFileSync(join(outputFolder, name), text.replace(/\n?\/[/*]# sourceMappingURL=.*$/, ""));
}
await writeDocs(target);

/** Cloudflare serves assets, so this file sets their headers. The Worker adds the members' navigation to the guides. */
const headers = {
  // Assets accept no other methods. A 405 must list the allowed ones.
  "/*": ["Allow: GET, HEAD"],
  "/assets/*": ["X-Content-Type-Options: nosniff", "Cache-Control: public, max-age=3600"],
  "/docs/*": [
    `Content-Security-Policy: ${policyHeader()}`,
    "X-Content-Type-Options: nosniff",
    "X-Frame-Options: DENY",
    "Referrer-Policy: same-origin",
    "Cache-Control: public, max-age=300",
  ],
};
writeFileSync(
  join(target, "_headers"),
  Object.entries(headers)
    .map(([path, lines]) => [path, ...lines.map((line) => `  ${line}`), ""].join("\n"))
    .join(""),
);
