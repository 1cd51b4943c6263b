import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const root = new URL("../..", import.meta.url).pathname;
const top = [
  "src",
  "test",
  "bench",
  "docs",
  "examples",
  "packages",
  "migrations",
  ".ci",
  ".github",
];
const layers = globSync("src/*/", { cwd: root }).map((path) => path.replace(/^src\//, ""));
const files = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: ["**/node_modules", "**/dist"] });

/** Paths that the text asks the reader to create, or that are names of other things. */
const exceptions = ["src/store/data/stats.ts", "src/actions/stats.ts", "src/operations/stats.ts"];

/** `a/{b,c}.ts` names two paths. */
function expandBraces(path: string): string[] {
  const [, before, alternatives, after] = /^(.*?)\{([^}]*)\}(.*)$/.exec(path) ?? [];
  if (alternatives === undefined) return [path];
  return alternatives.split(",").flatMap((each) => expandBraces(`${before}${each}${after}`));
}

const exists = (path: string) =>
  existsSync(join(root, path)) || files(`${path.replace(/\/$/, "")}{,.ts,.tsx}`).length > 0;

/** The paths in backticks outside of programs that exist from no folder from which this document names paths. */
function findStalePaths(document: string): string[] {
  const text = readFileSync(join(root, document), "utf8").replaceAll(/^```[^]*?^```$/gm, "");
  return text.split("\n").flatMap((line) => {
    // A table of files names their folder of `src` in its first column.
    const [, folder] = /^\| `([^`]+)` /.exec(line) ?? [];
    const bases = ["", "src/", `${dirname(document)}/`, ...(folder ? [`src/${folder}/`] : [])];
    const paths = [...line.matchAll(/`(?!\.\/)([\w.@-]+\/[\w./{},*-]*)`/g)].map(
      ([, path = ""]) => path,
    );
    return paths
      .filter((path) => {
        const first = path.slice(0, path.indexOf("/"));
        return top.includes(first) || layers.includes(first) || /\.(tsx?|md|sql)$/.test(path);
      })
      .flatMap(expandBraces)
      .filter((path) => !exceptions.includes(path) && !bases.some((base) => exists(base + path)));
  });
}

const documents = files("{*,docs/*,bench/*,examples/**/*,packages/*/*,test/**/*}.md");

it.each(documents)("%s names paths of this repository that exist", (document) => {
  expect(findStalePaths(document)).toEqual([]);
});

it("names files in comments that exist", () => {
  const sources = files("{src,test,bench,examples,packages}/**/*.{ts,tsx}");
  const comment = /^\s*(?:\/\/|\/?\*).*$|\/\/ .*$/gm;
  const path = new RegExp(
    `(?<![\\w/.])(?:${top.join("|")})/[\\w/.-]+\\.(?:tsx?|md|sql|json)\\b`,
    "g",
  );
  const stale = sources.flatMap((source) =>
    (readFileSync(join(root, source), "utf8").match(comment) ?? [])
      .flatMap((line) => line.match(path) ?? [])
      .filter((named) => !existsSync(join(root, named)))
      .map((named) => `${source}: ${named}`),
  );
  expect(stale).toEqual([]);
});
