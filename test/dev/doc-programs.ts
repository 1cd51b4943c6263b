import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const project = new URL("../..", import.meta.url).pathname;
export const withPrograms = ["first-call", "authentication", "recipes"];

interface Program {
  heading: string;
  code: string;
  /** What it prints, with … for whatever stands there. */
  prints: string;
}

/** The programs of a page in one language, in order; those with a name are files that the others import. */
export function programsOf(page: string, language: string) {
  const text = pageOf(page);
  const files = new Map<string, string>();
  const programs: Program[] = [];
  let heading = "";
  let waiting: Program[] = [];
  for (const [block, title, info = "", body = ""] of text.matchAll(
    /^#{2,3} (.*)$|^```(.*)\n([^]*?)^```$/gm,
  )) {
    if (title !== undefined) {
      if (block.startsWith("## ")) [heading, waiting] = [title, []];
      continue;
    }
    const [lang = "", name] = info.split(" ");
    if (name !== undefined) files.set(name, body);
    else if (lang === "text") {
      // It speaks of all programs since the one before it.
      for (const program of waiting) program.prints = body;
      waiting = [];
    } else if (["sh", "python", "ts"].includes(lang)) {
      const program = { heading, code: body, prints: "" };
      waiting.push(program);
      if (lang === language) programs.push(program);
    }
  }
  return { files, programs };
}

export const pageOf = (name: string) => readFileSync(join(project, `docs/${name}.md`), "utf8");

/** How a program of each language is run, with its files in `folder`. */
export const commands = {
  sh: (code: string): [string, string[]] => ["bash", ["-euo", "pipefail", "-c", code]],
  python: (code: string): [string, string[]] => ["python3", ["-c", code]],
  ts: (code: string, folder: string): [string, string[]] => {
    const file = join(folder, "program.ts");
    writeFileSync(file, code);
    return [process.execPath, ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", file]];
  },
};
