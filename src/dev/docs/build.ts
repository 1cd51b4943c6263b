import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Sources } from "./pages.tsx";

const root = new URL("../../../", import.meta.url).pathname;

/** Reads the Markdown files that become pages: the files directly in docs/, and the changelog. */
function readSources(): Sources {
  const files = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
  return Object.fromEntries(
    [...files.map((file) => `docs/${file}`), "CHANGELOG.md"].map((file) => [
      file.replace(/^docs\//, "").replace(/\.md$/, ""),
      readFileSync(join(root, file), "utf8"),
    ]),
  );
}

/** Writes the pages of the documentation below `target`, and `llms.txt`. */
export async function writeDocs(target: string): Promise<void> {
  const folder = join(target, "docs");
  mkdirSync(folder, { recursive: true });
  const { renderPages } = await loadRenderer();
  for (const [file, text] of renderPages(readSources())) writeFileSync(join(folder, file), text);
  for (const pictures of ["bench/plots"])
    cpSync(join(root, pictures), join(folder, "images"), { recursive: true });
  writeFileSync(join(target, "llms.txt"), readFileSync(join(root, "docs/llms.txt"), "utf8"));
}

/** Bundles the page templates first, because Node cannot load JSX. */
async function loadRenderer(): Promise<typeof import("./pages")> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/dev/docs/pages.tsx")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    target: "es2024",
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return (await import(`data:text/javascript;base64,${code}`)) as typeof import("./pages");
}
