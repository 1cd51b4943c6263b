import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oldFailureNames } from "../../src/domain/events.ts";
import { fieldErrorCodes } from "../../src/domain/problem/field-errors.ts";
import { apiCodes } from "../../src/domain/problem/catalogue.ts";
import { operators } from "../../src/domain/search/fields.ts";
import { formulaFunctions, formulaMethods } from "../../src/domain/formula/environment.ts";
import {
  commands,
  javaScriptCommand,
  pageOf,
  programsOf,
  project,
  withPrograms,
} from "./doc-programs.ts";
import { caller, Server } from "./server.ts";

const run = promisify(execFile);

describe("Documentation coverage", () => {
  it("has a section with the operators for every field type", () => {
    const sections = pageOf("fields").split(/^## /m).slice(1);
    const allOperators = new Set(Object.values(operators).flat());
    const documented = sections.flatMap((section) => {
      const [heading = ""] = section.split("\n");
      const [, row = ""] = /^\| Operators +\|(.*)\|$/m.exec(section) ?? [];
      const names =
        row.match(/[a-z_]+/g)?.filter((word) => (allOperators as Set<string>).has(word)) ?? [];
      return [...heading.matchAll(/`(\w+)`/g)].map(([, type = ""]) => [type, names] as const);
    });
    // Only system fields hold actors.
    const { actor: _actor, ...fieldOperators } = operators;
    const kinds = { ...fieldOperators, multiline_text: operators.text, email: operators.text };
    const otherTypes = { url: operators.text, phone: operators.text, computed: [] };
    expect(Object.fromEntries(documented)).toEqual({ ...kinds, ...otherTypes });
  });

  it("has a row for every failure that the log reports as recovered", () => {
    const guide = pageOf("deployment");
    for (const [what, formerly] of Object.entries(oldFailureNames)) {
      const names = what === formerly ? `\`${what}\`` : `\`${what}\` (was \`${formerly}\`)`;
      expect(guide).toContain(`| ${names}`);
    }
  });

  it("compiles its TypeScript under strict checks", async () => {
    const folder = mkdtempSync(join(tmpdir(), "edge-forms-types-"));
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
    const names: string[] = [];
    for (const page of withPrograms) {
      const { files, programs } = programsOf(page, "ts");
      for (const [name, body] of files)
        if (name.endsWith(".ts")) writeFileSync(join(folder, name), body);
      for (const [index, { code, language }] of programs.entries()) {
        if (language !== "ts") continue;
        names.push(`${page}-${index}.ts`);
        // Makes files without imports modules for tsc, as they are for Node.
        writeFileSync(join(folder, `${page}-${index}.ts`), `${code}\nexport {};\n`);
      }
    }
    const options =
      "--noEmit --strict --target es2024 --module nodenext --allowImportingTsExtensions --types node";
    await run(join(project, "node_modules/.bin/tsc"), [...options.split(" "), ...names], {
      cwd: folder,
    });
    rmSync(folder, { recursive: true });
    // The two programs of first-call.md are JavaScript.
    expect(names.length).toBeGreaterThan(7);
  });

  it("explains how to start a server when the credential command cannot reach one", async () => {
    const command = join(project, "src/dev/credential.ts");
    const running = run(process.execPath, [command, "--url", "http://127.0.0.1:9"]);
    await expect(running).rejects.toThrow("Start it in another terminal with `npm run dev`");
  });

  it("has a row for every problem code and field error code", () => {
    const errors = pageOf("errors");
    const missing = [...apiCodes, ...fieldErrorCodes].filter(
      (code) => !errors.includes(`| \`${code}\` `),
    );
    expect(missing).toEqual([]);
  });

  it("has a row for every formula function", () => {
    const formulas = pageOf("formulas");
    const missing = [
      ...[...formulaFunctions].filter((name) => !formulas.includes(`\`${name}(`)),
      ...[...formulaMethods].filter(
        (name) => !new RegExp(`\`(list|text)\\.${name}\\(|\`${name}\\(`).test(formulas),
      ),
    ];
    expect(missing).toEqual([]);
  });
});

const escapeRegExp = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const outputPattern = (prints: string) =>
  new RegExp(`^${prints.trim().split("…").map(escapeRegExp).join("[^]*?")}$`);

/** Blocks that need more than a running service: packages, a Cloudflare account, or minutes of time. */
const unrunnableBlocks = /^npm (ci|run deploy|run example:import)|^export EDGE_FORMS_TOKEN/m;

describe.each(Object.entries(commands))(
  "Programs in the documentation, in %s",
  (language, command) => {
    // Each language has its own demo service, so that all start with the same data.
    const server = new Server();
    let folder = "";
    const environment: Record<string, string> = {};

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "edge-forms-docs-"));
      await server.start();
      environment["URL"] = server.url;
      const issueBare = async (...options: string[]) => {
        const args = ["run", "-s", "credential", "--", "--bare", "--url", server.url, ...options];
        return (await run("npm", args, { cwd: server.folder })).stdout.trim();
      };
      environment["TOKEN"] = await issueBare();
      environment["CLIENT"] = await issueBare("--kind", "client", "--name", "Shop");
      // The folder of the file that a reader copies.
      environment["PYTHONPATH"] = join(project, "examples/python");
      environment["PYTHONDONTWRITEBYTECODE"] = "1";
    });

    afterAll(async () => {
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    const ownPages = withPrograms.filter((page) => programsOf(page, language).programs.length > 0);

    it.each(ownPages)("%s: prints the output on the page", async (page) => {
      const { files, programs } = programsOf(page, language);
      for (const [name, body] of files) writeFileSync(join(folder, name), body);
      const outputs: [string, string][] = [];
      for (const { language: own, heading, code, prints } of programs) {
        // The demo service of this test has another address and port.
        if (code.includes("export URL=")) continue;
        const [program, args] = (own === "js" ? javaScriptCommand : command)(code, folder);
        const { stdout } = await run(program, args, {
          cwd: folder,
          env: { ...process.env, ...environment, PYTHONIOENCODING: "utf-8" },
        });
        outputs.push([heading, stdout.trim()]);
        expect([heading, stdout.trim()]).toEqual([
          heading,
          expect.stringMatching(outputPattern(prints)),
        ]);
      }
      expect(outputs.length).toBeGreaterThan(0);
    });

    // The remaining tests need only one demo service.
    if (language !== "sh") return;

    it("runs the commands of both READMEs as printed", async () => {
      // A reader's PATH contains neither this project's packages nor the Node that runs this test.
      const path = (process.env["PATH"] ?? "")
        .split(":")
        .filter((folderPath) => !folderPath.includes("node_modules"));
      // The generators are in their own workspace.
      symlinkSync(join(project, "test"), join(server.folder, "test"));
      for (const file of ["README.md", "examples/README.md"]) {
        const blocks = readFileSync(join(project, file), "utf8").matchAll(/^```sh\n([^]*?)^```$/gm);
        const runnableBlocks = [...blocks]
          .map(([, block = ""]) => block)
          .filter((block) => !unrunnableBlocks.test(block));
        expect(runnableBlocks.length).toBeGreaterThan(1);
        const commandsHere = runnableBlocks
          .join("")
          .replaceAll("http://127.0.0.1:8787", server.url)
          .replaceAll("npm run -s credential --", `npm run -s credential -- --url ${server.url}`)
          .replaceAll("curl -s ", "curl -fsS ");
        const { stdout } = await run("bash", ["-euo", "pipefail", "-c", commandsHere], {
          cwd: server.folder,
          env: { ...process.env, PATH: path.join(":") },
        });
        expect(stdout).toContain(
          file === "README.md" ? `"note":"call before delivery"` : "purchase.ts",
        );
      }
    });

    it("accepts every formula example and the definition on the page", async () => {
      const limits = ["--writes", "5000", "--requests", "5000"];
      const { token } = await server.credential(...limits);
      const call = caller(server.url, token);
      const text = pageOf("formulas");
      const [, definition = ""] = /^```json\n([^]*?)^```$/m.exec(text) ?? [];
      expect((await call("PUT", "/forms/shown/schema", JSON.parse(definition))).status).toBe(201);
      const fields = (names: string, type: string) =>
        names.split(" ").map((key) => ({ key, type }));
      const rows = [...fields("amount price qty", "number"), ...fields("main", "boolean")];
      const knownFields = [
        ...fields("total paid pages discount qty", "number"),
        ...fields("note first last sku", "text"),
        ...fields("due ordered_on sent_on", "date"),
        { key: "lines", type: "line_items", fields: rows },
      ];
      const accepted = async (formula: string, result: string) => {
        const computed = { key: "result", type: "computed", formula, result };
        const { status } = await call("PUT", "/forms/example/schema", {
          fields: [...knownFields, computed],
        });
        return status < 300;
      };
      const table = text.slice(text.indexOf("## Functions"));
      const examples = [...table.matchAll(/^\|.*\| `([^`]+)`[^|`]*\|$/gm)].map(
        ([, formula = ""]) => formula,
      );
      expect(examples.length).toBeGreaterThan(18);
      const rejected: string[] = [];
      for (const formula of examples) {
        const results = ["number", "text", "boolean", "date"];
        let isAccepted = false;
        for (const result of results) isAccepted ||= await accepted(formula, result);
        // A field cannot store a list, so the formula counts its entries.
        isAccepted ||= await accepted(`count(${formula})`, "number");
        if (!isAccepted) rejected.push(formula);
      }
      expect(rejected).toEqual([]);
    });

    it("serves every page with a strict policy and without broken links", async () => {
      const pages = new Map<string, string>();
      const visit = async (path: string): Promise<void> => {
        if (pages.has(path)) return;
        const response = await fetch(server.url + path);
        const html = await response.text();
        expect([path, response.status]).toEqual([path, 200]);
        pages.set(path, html);
        if (!path.startsWith("/docs/")) return;
        const policy = response.headers.get("Content-Security-Policy") ?? "";
        expect(policy).toContain("script-src 'self'");
        expect(policy).not.toContain("unsafe");
        // The Markdown source may contain the code of a page for readers, including scripts.
        if (path.endsWith(".md")) return;
        expect(html).not.toMatch(/<script(?! src=)|<style| style=| on\w+=/);
        for (const [, link = ""] of html.matchAll(/ href="(\/[^"#]*)[^"]*"/g)) await visit(link);
      };
      await visit("/docs/contents");
      for (const [path, html] of pages) {
        for (const [, target = "", id = ""] of html.matchAll(/ href="([^"#]*)#([^"]+)"/g)) {
          if (target !== "" && !target.startsWith("/docs/")) continue;
          expect([path, target, id, pages.get(target || path)?.includes(` id="${id}"`)]).toEqual([
            path,
            target,
            id,
            true,
          ]);
        }
      }
      const docPages = [...pages.keys()].filter((path) => path.startsWith("/docs/"));
      expect(docPages.length).toBeGreaterThan(12);
      expect(pages.get("/docs/errors")).toContain("time_zone_required");
      const text = await (await fetch(`${server.url}/llms.txt`)).text();
      for (const path of ["/llms.txt", "/docs/errors", "/assets/style.css"]) {
        const rejected = await fetch(server.url + path, { method: "POST" });
        expect([path, rejected.status, rejected.headers.get("Allow")]).toEqual([
          path,
          405,
          "GET, HEAD",
        ]);
      }
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
] as const)("Small client of the recipes in %s", (language, code) => {
  it("waits for Retry-After and retries only requests that are safe to repeat", async () => {
    const requests: [string, number][] = [];
    const service = createServer((request, response) => {
      const path = request.url?.replace("/api/v1", "") ?? "";
      requests.push([path, Date.now()]);
      const isFirst = requests.filter(([requestPath]) => requestPath === path).length === 1;
      const respond = (status: number, headers = {}) =>
        response
          .writeHead(status, { "Content-Type": "application/problem+json", ...headers })
          .end(JSON.stringify({ code: status === 429 ? "rate_limited" : "try_again", detail: "" }));
      if (path === "/limited" && isFirst) return respond(429, { "Retry-After": "1" });
      if (path === "/unsure" || (path === "/ill" && isFirst))
        return respond(503, { "Retry-After": "1" });
      if (path === "/lost" && isFirst) return request.socket.destroy();
      return respond(path === "/lost" ? 201 : 200);
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
    const times = (path: string) =>
      requests.filter(([requestPath]) => requestPath === path).map(([, time]) => time);
    expect(requests.map(([path]) => path)).toEqual([
      "/limited",
      "/limited",
      "/ill",
      "/ill",
      "/lost",
      "/lost",
      "/unsure",
    ]);
    const [firstTime = 0, secondTime = 0] = times("/limited");
    expect(secondTime - firstTime).toBeGreaterThanOrEqual(1000);
  });
});
