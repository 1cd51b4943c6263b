import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { policyHeader } from "../html/content-security-policy.ts";
import { writeDocs } from "./docs/build.ts";

/**
 * Gathers what the Worker serves beside its own pages: our style sheets and scripts, the pages of the
 * documentation, and Swagger UI from its package.
 * wrangler runs this before it serves, bundles or deploys.
 */

const own = new URL("../assets", import.meta.url).pathname;
const target = "dist/assets";
const served = join(target, "assets");

rmSync(target, { recursive: true, force: true });
mkdirSync(served, { recursive: true });
cpSync(join(own, "icon.svg"), join(served, "icon.svg"));
await build({
  entryPoints: [
    ...["style.css", "data.css", "docs.css", "documentation.css"].map((name) => join(own, name)),
    ...["page.ts", "data.ts", "docs.ts"].map((name) => join(own, "scripts", name)),
  ],
  entryNames: "[name]",
  outdir: served,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
});

const swagger = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"]) {
  // Its source maps are not served.
  const text = readFileSync(join(swagger, name), "utf8");
  writeFileSync(join(served, name), text.replace(/\n?\/[/*]# sourceMappingURL=.*$/, ""));
}
await writeDocs(target);

/** The Worker is not asked for these, so they bring the headers that it would have set. */
const headers = {
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
