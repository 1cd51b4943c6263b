import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldErrorCodes } from "../../src/domain/problem/problem.ts";
import { apiCodes } from "../../src/domain/problem/catalogue.ts";
import { operators } from "../../src/domain/search/fields.ts";
import { functions, methods } from "../../src/domain/formula/environment.ts";
import { commands, pageOf, programsOf, project, withPrograms } from "./doc-programs.ts";
import { caller, Server } from "./server.ts";

const run = promisify(execFile);

describe("The documentation is whole", () => {
  it("every type of a field has its section, with its operators", () => {
    const sections = pageOf("fields").split(/^## /m).slice(1);
    const all = new Set(Object.values(operators).flat());
    const told = sections.flatMap((section) => {
      const [heading = ""] = section.split("\n");
      const [, row = ""] = /^\| Operators +\|(.*)\|$/m.exec(section) ?? [];
      const found = row.match(/[a-z_]+/g)?.filter((word) => (all as Set<string>).has(word)) ?? [];
      return [...heading.matchAll(/`(\w+)`/g)].map(([, type = ""]) => [type, found] as const);
    });
    const kinds = { ...operators, multiline_text: operators.text, email: operators.text };
    const others = { url: operators.text, phone: operators.text, computed: [] };
    expect(Object.fromEntries(told)).toEqual({ ...kinds, ...others });
  });

  it("every event of the log that tells of something mended has its row", async () => {
    const { stdout } = await run(
      "git",
      ["grep", "-hoE", String.raw`"[a-z ]+ (un|not |cannot |failed)[a-z ]*"`, "--", "src"],
      {
        cwd: project,
      },
    );
    const code = await run("git", ["grep", "-hE", "-A1", "logMended\\(|behind\\(", "--", "src"], {
      cwd: project,
    });
    const told = stdout
      .split("\n")
      .map((each) => each.replaceAll('"', ""))
      .filter((each) => each !== "" && code.stdout.includes(`"${each}"`));
    expect(told.length).toBeGreaterThan(8);
    const guide = pageOf("deployment");
    expect(told.filter((each) => !guide.includes(`\`${each}\``))).toEqual([]);
  });

  it("its TypeScript holds under strict checks", async () => {
    const folder = mkdtempSync(join(tmpdir(), "edge-forms-types-"));
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
    const names: string[] = [];
    for (const page of withPrograms) {
      const { files, programs } = programsOf(page, "ts");
      for (const [name, body] of files)
        if (name.endsWith(".ts")) writeFileSync(join(folder, name), body);
      for (const [index, { code }] of programs.entries()) {
        names.push(`${page}-${index}.ts`);
        // A file without imports is a module as well, as Node sees it.
        writeFileSync(join(folder, `${page}-${index}.ts`), `${code}\nexport {};\n`);
      }
    }
    const options =
      "--noEmit --strict --target es2024 --module nodenext --allowImportingTsExtensions --types node";
    await run(join(project, "node_modules/.bin/tsc"), [...options.split(" "), ...names], {
      cwd: folder,
    });
    rmSync(folder, { recursive: true });
    expect(names.length).toBeGreaterThan(8);
  });

  it("the credential command without a server says how to start one", async () => {
    const command = join(project, "src/dev/credential.ts");
    const failed = run(process.execPath, [command, "--url", "http://127.0.0.1:9"]);
    await expect(failed).rejects.toThrow(
      "Start the service in another terminal with `npm run dev`",
    );
  });

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

describe.each(Object.entries(commands))(
  "The programs of the documentation, in %s",
  (language, command) => {
    // Each has a demo of its own, so that all of them meet the same data.
    const server = new Server({ sh: 8782, python: 8783, ts: 8784 }[language] ?? 8785);
    let folder = "";
    const environment: Record<string, string> = {};

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "edge-forms-docs-"));
      await server.start();
      environment["URL"] = server.url;
      const bare = async (...options: string[]) => {
        const args = ["run", "-s", "credential", "--", "--bare", "--url", server.url, ...options];
        return (await run("npm", args, { cwd: server.folder })).stdout.trim();
      };
      environment["TOKEN"] = await bare();
      environment["CLIENT"] = await bare("--kind", "client", "--name", "Shop");
      // The file that a reader copies.
      environment["PYTHONPATH"] = join(project, "examples/python");
      environment["PYTHONDONTWRITEBYTECODE"] = "1";
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

    it("every example of a formula, and the definition shown, is accepted", async () => {
      const limits = ["--writes", "5000", "--requests", "5000"];
      const { token } = await server.credential(...limits);
      const call = caller(server.url, token);
      const text = pageOf("formulas");
      const [, shown = ""] = /^```json\n([^]*?)^```$/m.exec(text) ?? [];
      expect((await call("PUT", "/forms/shown/schema", JSON.parse(shown))).status).toBe(201);
      const fields = (names: string, type: string) =>
        names.split(" ").map((key) => ({ key, type }));
      const rows = [...fields("amount price qty", "number"), ...fields("main", "boolean")];
      const known = [
        ...fields("total paid pages discount qty", "number"),
        ...fields("note first last sku", "text"),
        ...fields("due ordered_on sent_on", "date"),
        { key: "lines", type: "line_items", fields: rows },
      ];
      const accepted = async (formula: string, result: string) => {
        const computed = { key: "result", type: "computed", formula, result };
        const { status } = await call("PUT", "/forms/example/schema", {
          fields: [...known, computed],
        });
        return status < 300;
      };
      const table = text.slice(text.indexOf("## Functions"));
      const examples = [...table.matchAll(/^\|.*\| `([^`]+)`[^|`]*\|$/gm)].map(
        ([, each = ""]) => each,
      );
      expect(examples.length).toBeGreaterThan(18);
      const refused: string[] = [];
      for (const formula of examples) {
        const results = ["number", "text", "boolean", "date"];
        let found = false;
        for (const result of results) found ||= await accepted(formula, result);
        // A list is no value of a field: it is counted.
        found ||= await accepted(`count(${formula})`, "number");
        if (!found) refused.push(formula);
      }
      expect(refused).toEqual([]);
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
        // What a page is made of may show a page of the reader's own.
        if (path.endsWith(".md")) return;
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

describe.each([
  [
    "python",
    `import small_client as api
print(api.call("GET", "/limited").status, api.call("GET", "/ill").status)
print(api.call("POST", "/lost", {}, {"Idempotency-Key": "k"}).status)
try:
    api.call("PATCH", "/unsure", {})
except api.Problem as problem:
    print(problem.status, problem.body["code"])`,
  ],
  [
    "ts",
    `import { call, Problem } from "./small-client.ts";
console.log((await call("GET", "/limited")).status, (await call("GET", "/ill")).status);
console.log((await call("POST", "/lost", {}, { "Idempotency-Key": "k" })).status);
await call("PATCH", "/unsure", {}).catch((error) => {
  if (error instanceof Problem) console.log(error.status, error.body.code);
});`,
  ],
] as const)("The small client of the recipes, in %s", (language, code) => {
  it("waits as it is told, and sends again only what is safe to repeat", async () => {
    const came: [string, number][] = [];
    const service = createServer((request, response) => {
      const path = request.url?.replace("/api/v1", "") ?? "";
      came.push([path, Date.now()]);
      const first = came.filter(([each]) => each === path).length === 1;
      const answer = (status: number, headers = {}) =>
        response
          .writeHead(status, { "Content-Type": "application/problem+json", ...headers })
          .end(JSON.stringify({ code: status === 429 ? "rate_limited" : "try_again", detail: "" }));
      if (path === "/limited" && first) return answer(429, { "Retry-After": "1" });
      if (path === "/unsure" || (path === "/ill" && first))
        return answer(503, { "Retry-After": "1" });
      if (path === "/lost" && first) return request.socket.destroy();
      return answer(path === "/lost" ? 201 : 200);
    });
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    const folder = mkdtempSync(join(tmpdir(), "edge-forms-client-"));
    for (const [name, body] of programsOf("recipes", language).files)
      writeFileSync(join(folder, name), body);
    const [program, args] = commands[language](code, folder);
    const { port } = service.address() as AddressInfo;
    const { stdout } = await run(program, args, {
      cwd: folder,
      env: { ...process.env, URL: `http://127.0.0.1:${port}`, TOKEN: "t" },
    });
    service.close();
    rmSync(folder, { recursive: true });
    expect(stdout.trim().split("\n")).toEqual(["200 200", "201", "503 try_again"]);
    const times = (path: string) => came.filter(([each]) => each === path).map(([, at]) => at);
    expect(came.map(([path]) => path)).toEqual([
      "/limited",
      "/limited",
      "/ill",
      "/ill",
      "/lost",
      "/lost",
      "/unsure",
    ]);
    const [before = 0, after = 0] = times("/limited");
    expect(after - before).toBeGreaterThanOrEqual(1000);
  });
});
