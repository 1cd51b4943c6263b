import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldErrorCodes } from "../../src/domain/problem/problem";
import { apiCodes } from "../../src/domain/problem/problem-catalogue";
import { functions, methods } from "../../src/domain/formula/environment";
import { Server } from "./server.ts";

const run = promisify(execFile);
const project = new URL("../..", import.meta.url).pathname;
const withPrograms = ["first-call", "authentication", "recipes"];

interface Program {
  heading: string;
  code: string;
  /** What it prints, with … for whatever stands there. */
  prints: string;
}

/** The programs of a page in one language, in order; those with a name are files that the others import. */
function programsOf(page: string, language: string) {
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

const pageOf = (name: string) => readFileSync(join(project, `docs/${name}.md`), "utf8");

describe("The documentation is whole", () => {
  it("every code of a problem and of a field has its row", () => {
    const errors = pageOf("errors");
    const missing = [...apiCodes, ...fieldErrorCodes].filter(
      (code) => !errors.includes(`| \`${code}\` `),
    );
    expect(missing).toEqual([]);
  });

  it("every function of formulas has its row", () => {
    const formulas = pageOf("formulas");
    const missing = [
      ...[...functions].filter((name) => !formulas.includes(`\`${name}(`)),
      ...[...methods].filter(
        (name) => !new RegExp(`\`(list|text)\\.${name}\\(|\`${name}\\(`).test(formulas),
      ),
    ];
    expect(missing).toEqual([]);
  });
});

const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const pattern = (prints: string) =>
  new RegExp(`^${prints.trim().split("…").map(literal).join("[^]*?")}$`);

/** Blocks that need more than a running service: packages, an account at Cloudflare, minutes. */
const elsewhere = /^npm (ci|run deploy|run example:import)|^export EDGE_FORMS_TOKEN/m;

const commands = {
  sh: (code: string): [string, string[]] => ["bash", ["-euo", "pipefail", "-c", code]],
  python: (code: string): [string, string[]] => ["python3", ["-c", code]],
  ts: (code: string, folder: string): [string, string[]] => {
    const file = join(folder, "program.ts");
    writeFileSync(file, code);
    return [process.execPath, ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", file]];
  },
};

describe.each(Object.entries(commands))(
  "The programs of the documentation, in %s",
  (language, command) => {
    // Each has a demo of its own, so that all of them meet the same data.
    const server = new Server({ sh: 8795, python: 8796, ts: 8797 }[language] ?? 8798);
    const folder = mkdtempSync(join(tmpdir(), "edge-forms-docs-"));
    const environment: Record<string, string> = {};

    beforeAll(async () => {
      await server.start();
      environment["URL"] = server.url;
      const bare = async (...options: string[]) => {
        const args = ["run", "-s", "credential", "--", "--bare", "--url", server.url, ...options];
        return (await run("npm", args, { cwd: server.folder })).stdout.trim();
      };
      environment["TOKEN"] = await bare();
      environment["CLIENT"] = await bare("--kind", "client", "--name", "Shop");
    });

    afterAll(async () => {
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it.each(withPrograms)("%s: each prints what the page says", async (page) => {
      const { files, programs } = programsOf(page, language);
      for (const [name, body] of files) writeFileSync(join(folder, name), body);
      const printed: [string, string][] = [];
      for (const { heading, code, prints } of programs) {
        // The address and port of the reader's own demo are others here.
        if (code.includes("export URL=")) continue;
        const [program, args] = command(code, folder);
        const { stdout } = await run(program, args, {
          cwd: folder,
          env: { ...process.env, ...environment, PYTHONIOENCODING: "utf-8" },
        });
        printed.push([heading, stdout.trim()]);
        expect([heading, stdout.trim()]).toEqual([heading, expect.stringMatching(pattern(prints))]);
      }
      expect(printed.length).toBeGreaterThan(0);
    });

    // The rest needs one demo, whichever.
    if (language !== "sh") return;

    it("the commands of both READMEs run as printed", async () => {
      // A reader's shell has neither the packages of this project in its path, nor the Node that runs this test.
      const path = (process.env["PATH"] ?? "")
        .split(":")
        .filter((each) => !each.includes("node_modules"));
      // The generators are a workspace of their own.
      symlinkSync(join(project, "test"), join(server.folder, "test"));
      for (const file of ["README.md", "examples/README.md"]) {
        const blocks = readFileSync(join(project, file), "utf8").matchAll(/^```sh\n([^]*?)^```$/gm);
        const text = [...blocks]
          .map(([, block = ""]) => block)
          .filter((block) => !elsewhere.test(block));
        expect(text.length).toBeGreaterThan(1);
        const here = text
          .join("")
          .replaceAll("http://127.0.0.1:8787", server.url)
          .replaceAll("npm run -s credential --", `npm run -s credential -- --url ${server.url}`)
          .replaceAll("curl -s ", "curl -fsS ");
        const { stdout } = await run("bash", ["-euo", "pipefail", "-c", here], {
          cwd: server.folder,
          env: { ...process.env, PATH: path.join(":") },
        });
        expect(stdout).toContain(
          file === "README.md" ? `"note":"call before delivery"` : "purchase.ts",
        );
      }
    });

    it("every page is served, strictly, and no link leads nowhere", async () => {
      const pages = new Map<string, string>();
      const visit = async (path: string): Promise<void> => {
        if (pages.has(path)) return;
        const answer = await fetch(server.url + path);
        const html = await answer.text();
        expect([path, answer.status]).toEqual([path, 200]);
        pages.set(path, html);
        if (!path.startsWith("/docs/")) return;
        const policy = answer.headers.get("Content-Security-Policy") ?? "";
        expect(policy).toContain("script-src 'self'");
        expect(policy).not.toContain("unsafe");
        expect(html).not.toMatch(/<script(?! src=)|<style| style=| on\w+=/);
        for (const [, link = ""] of html.matchAll(/ href="(\/[^"#]*)[^"]*"/g)) await visit(link);
      };
      await visit("/docs/contents");
      for (const [path, html] of pages) {
        for (const [, to = "", id = ""] of html.matchAll(/ href="([^"#]*)#([^"]+)"/g)) {
          if (to !== "" && !to.startsWith("/docs/")) continue;
          expect([path, to, id, pages.get(to || path)?.includes(` id="${id}"`)]).toEqual([
            path,
            to,
            id,
            true,
          ]);
        }
      }
      const ours = [...pages.keys()].filter((path) => path.startsWith("/docs/"));
      expect(ours.length).toBeGreaterThan(12);
      expect(pages.get("/docs/errors")).toContain("time_zone_required");
      const text = await (await fetch(`${server.url}/llms.txt`)).text();
      for (const [, link = ""] of text.matchAll(/\]\((\/[^)]*)\)/g)) await visit(link);
      expect((await fetch(`${server.url}/docs/nothing`)).status).toBe(404);
    });
  },
);
