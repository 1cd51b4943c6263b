import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const project = new URL("../..", import.meta.url).pathname;
export const withPrograms = [
  "first-call",
  "authentication",
  "recipes",
  "website-form",
  "sync-an-erp",
  "nightly-report",
  "generators",
];

interface Program {
  language: string;
  heading: string;
  code: string;
  /** The expected output. `…` matches any text. */
  prints: string;
}

/** Returns the programs of a page in one language, in order. Named blocks are files that the programs import. */
export function programsOf(page: string, language: string) {
  const text = pageOf(page);
  const files = new Map<string, string>();
  const programs: Program[] = [];
  let heading = "";
  let pending: Program[] = [];
  for (const [block, title, info = "", body = ""] of text.matchAll(
    /^#{2,3} (.*)$|^```(.*)\n([^]*?)^```$/gm,
  )) {
    if (title !== undefined) {
      if (block.startsWith("## ")) [heading, pending] = [title, []];
      continue;
    }
    const [blockLanguage = "", name] = info.split(" ");
    if (name !== undefined) files.set(name, body);
    else if (blockLanguage === "text") {
      // A text block is the expected output of all programs since the previous text block.
      for (const program of pending) program.prints = body;
      pending = [];
    } else if (["sh", "python", "ts", "js"].includes(blockLanguage)) {
      const program = { language: blockLanguage, heading, code: body, prints: "" };
      pending.push(program);
      // Programs in JavaScript run along with those in TypeScript.
      const runsWith = blockLanguage === "js" ? "ts" : blockLanguage;
      if (runsWith === language) programs.push(program);
    }
  }
  return { files, programs };
}

export const pageOf = (name: string) => readFileSync(join(project, `docs/${name}.md`), "utf8");

/** Builds the command that runs JavaScript. It must run on Node 20, which CI names in EDGE_FORMS_NODE. */
export const javaScriptCommand = (code: string, folder: string): [string, string[]] => {
  const file = join(folder, "program.mjs");
  writeFileSync(file, code);
  return [process.env["EDGE_FORMS_NODE"] ?? process.execPath, [file]];
};

/** Builds the command that runs a program of each language. Its files are in `folder`. */
export const commands = {
  sh: (code: string): [string, string[]] => ["bash", ["-euo", "pipefail", "-c", code]],
  python: (code: string): [string, string[]] => ["python3", ["-c", code]],
  ts: (code: string, folder: string): [string, string[]] => {
    const file = join(folder, "program.ts");
    writeFileSync(file, code);
    return [process.execPath, ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", file]];
  },
};
