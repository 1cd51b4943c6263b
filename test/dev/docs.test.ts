import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oldFailureNames } from "../../src/domain/events.ts";
import { fieldErrorCodes } from "../../src/domain/problem/field-errors.ts";
import { apiCodes } from "../../src/domain/problem/catalogue.ts";
import { operators } from "../../src/domain/search/fields.ts";
import { formulaFunctions, formulaMethods } from "../../src/domain/formula/environment.ts";
import {
  blocksOf,
  checkoutDocuments,
  commandOf,
  documents,
  exceptions,
  isException,
  isProgram,
  pageOf,
  programsOf,
  project,
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

  it("runs every program, or lists it as an exception with a reason", () => {
    const blocks = documents.flatMap(blocksOf);
    const programsRun = documents.flatMap((document) =>
      languages.flatMap((language) => programsOf(document, language).programs),
    );
    // These show data, formulas or output, which other tests check, or are files of programs.
    const isShown = (block: (typeof blocks)[number]) =>
      ["text", "json", "cel"].includes(block.language) || block.name !== undefined;
    const key = ({ document, code }: (typeof blocks)[number]) => `${document}\n${code}`;
    const runKeys = new Set(programsRun.map(key));
    const others = blocks.filter((block) => !runKeys.has(key(block)) && !isShown(block));
    expect(others.filter((block) => !isException(block))).toEqual([]);
    const unused = exceptions.filter(
      ({ document, part = "" }) =>
        !others.some(
          (block) =>
            block.document === document &&
            part.split("|").some((each) => block.code.includes(each)),
        ),
    );
    expect(unused).toEqual([]);
  });

  it("has valid JSON, and a program before each output", () => {
    const problems: string[] = [];
    for (const document of documents) {
      let hasProgram = false;
      for (const block of blocksOf(document)) {
        hasProgram ||= isProgram(block);
        if (block.language === "text" && !hasProgram)
          problems.push(`${document}: an output without a program: ${block.code}`);
        if (block.language === "json" && !isJson(block.code))
          problems.push(`${document}: invalid JSON: ${block.code}`);
      }
    }
    expect(problems).toEqual([]);
  });

  it("names the versions of the generators that the tests run", () => {
    const file = join(project, "test/clients/package.json");
    const { devDependencies } = JSON.parse(readFileSync(file, "utf8")) as {
      devDependencies: Record<string, string>;
    };
    const rows = pageOf("generators").matchAll(/^\|[^|]*\| `([^`]+)` +\| ([\d.]+) +\|/gm);
    const versions = [...rows].map(([, tool = "", version]) => [tool, version]);
    expect(versions.length).toBeGreaterThan(5);
    expect(versions).toEqual(versions.map(([tool = ""]) => [tool, devDependencies[tool]]));
  });

  it("lists every page in llms.txt", () => {
    const list = readFileSync(join(project, "docs/llms.txt"), "utf8");
    const pages = documents.flatMap((path) => /^docs\/(.*)\.md$/.exec(path)?.[1] ?? []);
    const names = pages.map((page) => (page === "README" ? "contents" : page));
    const missing = [...names, "changelog"].filter((name) => !list.includes(`(/docs/${name}.md)`));
    expect(missing).toEqual([]);
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const escapeRegExp = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
// A line break and its indentation after `…` only fit the page.
const outputPattern = (prints: string) =>
  new RegExp(
    `^${prints
      .trim()
      .split(/…(?:\n +)?/)
      .map(escapeRegExp)
      .join("[^]*?")}$`,
  );

const languages = ["sh", "python", "ts"];

/** Installs the packages that the pages name, as a reader does with npm, but without a download. */
function installPackages(folder: string): void {
  const clients = join(project, "test/clients/node_modules");
  const packages = {
    "edge-forms-client": join(project, "packages/client"),
    ".bin/edge-forms": join(project, "packages/client/bin/edge-forms.js"),
    "openapi-typescript": join(clients, "openapi-typescript"),
    ".bin/openapi-typescript": join(clients, ".bin/openapi-typescript"),
    ...Object.fromEntries(
      [
        "@modelcontextprotocol/client",
        "@modelcontextprotocol/inspector",
        ".bin/inspector",
        "@types/node",
        "undici-types",
      ].map((name) => [name, join(project, "node_modules", name)]),
    ),
  };
  for (const [name, path] of Object.entries(packages)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(path, link);
  }
  writeFileSync(join(folder, "package.json"), `{ "type": "module", "private": true }`);
}

/**
 * Runs the programs of all documents in a language. Each language has its own demo service, so that all start with the
 * same data.
 */
function testPrograms(language: string) {
  const server = new Server();
  let folder = "";
  const environment: Record<string, string> = {};

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "edge-forms-docs-"));
    installPackages(folder);
    await server.start();
    // The generators are in their own workspace.
    symlinkSync(join(project, "test"), join(server.folder, "test"));
    environment["URL"] = server.url;
    const issueBare = async (...options: string[]) => {
      const args = ["run", "-s", "credential", "--", "--bare", "--url", server.url, ...options];
      return (await run("npm", args, { cwd: server.folder })).stdout.trim();
    };
    environment["TOKEN"] = await issueBare();
    const client = await issueBare("--kind", "client", "--name", "Shop");
    const [clientId = "", clientSecret = ""] = client.split(":");
    Object.assign(environment, {
      CLIENT: client,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
    });
    // The folder of the file that a reader copies.
    environment["PYTHONPATH"] = join(project, "examples/python");
    environment["PYTHONDONTWRITEBYTECODE"] = "1";
    environment["PYTHONIOENCODING"] = "utf-8";
    // A missing package fails instead of being downloaded.
    environment["npm_config_offline"] = "true";
    // A reader's PATH contains neither this project's packages nor the Node that runs this test.
    const paths = (process.env["PATH"] ?? "").split(":");
    environment["PATH"] = paths.filter((path) => !path.includes("node_modules")).join(":");
  });

  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const ownDocuments = documents.filter(
    (document) => programsOf(document, language).programs.length > 0,
  );

  it.each(ownDocuments)("%s: prints the output on the page", async (document) => {
    const { files, programs } = programsOf(document, language);
    const cwd = checkoutDocuments.has(document) ? server.folder : folder;
    for (const [name, code] of files) writeFileSync(join(cwd, name), code);
    const credential = `npm --prefix ${server.folder} run -s credential -- --url ${server.url}`;
    for (const [index, { language: own, heading, code, prints }] of programs.entries()) {
      const codeHere = code
        .replaceAll("http://127.0.0.1:8787", server.url)
        .replaceAll("npm run -s credential --", credential)
        .replaceAll("curl -s ", "curl -fsS ");
      const file = join(cwd, `${document.replaceAll(/\W/g, "-")}-${index}`);
      const [program, args] = await commandOf(own, codeHere, file);
      const { stdout } = await run(program, args, { cwd, env: { ...process.env, ...environment } });
      const pattern = prints === "" ? /^/ : outputPattern(prints);
      const output = stdout.replaceAll("\r\n", "\n").trim();
      expect([heading, output]).toEqual([heading, expect.stringMatching(pattern)]);
    }
  });

  return { server, folder: () => folder };
}

describe("Programs in the documentation, in Python", () => {
  testPrograms("python");
});

describe("Programs in the documentation, in TypeScript", () => {
  const { folder } = testPrograms("ts");

  it("compile under strict checks, and Node can strip the types", async () => {
    const options =
      "--noEmit --strict --erasableSyntaxOnly --target es2024 --module nodenext --allowImportingTsExtensions --types node";
    const files = readdirSync(folder()).filter((name) => name.endsWith(".ts"));
    expect(files.length).toBeGreaterThan(7);
    const tsc = join(project, "node_modules/.bin/tsc");
    const compilation = await run(tsc, [...options.split(" "), ...files], {
      cwd: folder(),
    }).catch((error) => error);
    expect(compilation.stdout).toBe("");
  });
});

describe("Programs in the documentation, in the shell", () => {
  const { server } = testPrograms("sh");

  it("accepts each request that the pages show as JSON", async () => {
    const { token } = await server.credential("--writes", "5000", "--requests", "5000");
    const call = caller(server.url, token);
    const json = (page: string, index: number) => {
      const blocks = blocksOf(`docs/${page}.md`).filter(({ language }) => language === "json");
      return JSON.parse(blocks[index]?.code ?? "");
    };
    const number = { type: "number" };
    const text = { type: "text" };
    const lines = [
      { key: "sku", ...text },
      { key: "qty", ...number },
    ];
    const fields = [
      { key: "number", ...text, unique: true },
      { key: "state", ...text },
      { key: "note", ...text },
      { key: "amount", ...number },
      { key: "count", ...number },
      { key: "paid", ...number },
      { key: "due", type: "date" },
      { key: "lines", type: "line_items", fields: lines },
    ];
    const customer = json("fields", 0);
    // The pages name the record ORD-000042 in its third version.
    const app = { receipt_prefix: "ORD-", fields: [{ ...customer, required: false }, ...fields] };
    expect((await call("PUT", "/apps/examples/schema", app)).status).toBe(201);
    const creates = Array.from({ length: 42 }, () => ({ op: "create", data: {} }));
    await call("POST", "/apps/examples/records/batch", { operations: creates });
    for (const note of ["second version", "third version"])
      await call("PATCH", "/apps/examples/records/ORD-000042", { data: { note } });
    const requests = [
      ["POST", "/apps/examples/records/search", json("search", 0), 200],
      ["POST", "/apps/examples/records/search", json("formulas", 3), 200],
      ["POST", "/apps/examples/records/batch", json("using-the-api", 0), 200],
      ["PATCH", "/apps/examples/records/ORD-000041", json("fields", 1), 200],
      ["POST", "/apps/examples/records/batch", json("fields", 2), 200],
      ["PUT", "/forms/attached/schema", json("files", 0), 201],
      ["PUT", "/apps/linked/schema", json("references", 0), 201],
      ["POST", "/apps/linked/records/search", json("references", 2), 200],
      ["POST", "/apps/linked/records/search", json("references", 3), 200],
      ["PUT", "/apps/titled/schema", json("references", 4), 201],
      ["PATCH", "/forms/attached/schema", json("data-protection", 0), 200],
    ] as const;
    for (const [method, path, body, status] of requests) {
      const response = await call(method, path, body);
      expect([path, response.status, response.text]).toEqual([path, status, expect.anything()]);
    }
  });

  it("accepts every formula example on the page", async () => {
    const limits = ["--writes", "5000", "--requests", "5000"];
    const { token } = await server.credential(...limits);
    const call = caller(server.url, token);
    const text = pageOf("formulas");
    const fields = (names: string, type: string) => names.split(" ").map((key) => ({ key, type }));
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
    const examples = [
      ...[...table.matchAll(/^\|.*\| `([^`]+)`[^|`]*\|$/gm)].map(([, formula = ""]) => formula),
      ...blocksOf("docs/formulas.md").flatMap(({ language: own, code }) =>
        own === "cel" ? [code.trim()] : [],
      ),
    ];
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
});

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
    for (const [name, body] of programsOf("docs/recipes.md", language).files)
      writeFileSync(join(folder, name), body);
    const [program, args] = await commandOf(language, code, join(folder, "program"));
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

/** Programs that call a function of a page with a message from a file, and print its type or that it was rejected. */
const verifiers = [
  {
    document: "docs/webhooks.md",
    language: "python",
    code: `import json
from verify import verify
message = json.load(open("message.json"))
try:
    print(verify(message["secret"], message["headers"], message["body"].encode())["type"])
except ValueError:
    print("rejected")`,
  },
  {
    document: "docs/webhooks.md",
    language: "ts",
    code: `import { readFileSync } from "node:fs";
import { verify } from "./verify.ts";
const { secret, headers, body } = JSON.parse(readFileSync("message.json", "utf8"));
try {
  const event = (await verify(secret, new Headers(headers), body)) as { type: string };
  console.log(event.type);
} catch {
  console.log("rejected");
}`,
  },
  {
    document: "packages/client/README.md",
    language: "ts",
    code: `import { readFileSync } from "node:fs";
import { receive } from "./receive.ts";
const { secret, headers, body } = JSON.parse(readFileSync("message.json", "utf8"));
const request = new Request("https://shop.example", { method: "POST", headers, body });
const log = console.log;
console.log = (_id, type) => log(type);
await receive(request, secret).catch(() => log("rejected"));`,
  },
];

it.each(verifiers)(
  "$document verifies signed webhook messages in $language, and rejects forged and old ones",
  async ({ document, language, code }) => {
    const folder = mkdtempSync(join(tmpdir(), "edge-forms-verify-"));
    installPackages(folder);
    for (const [name, content] of programsOf(document, language).files)
      writeFileSync(join(folder, name), content);
    const secret = `whsec_${Buffer.from("a secret of at least 24 bytes").toString("base64")}`;
    const body = JSON.stringify({ type: "record.created", timestamp: "", data: { name: "Zoë" } });
    const send = async (sentAt: Date, sentBody = body, signatures = "") => {
      const headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
        "webhook-signature": signatures + new Webhook(secret).sign("msg_1", sentAt, body),
      };
      const message = { secret, headers, body: sentBody };
      writeFileSync(join(folder, "message.json"), JSON.stringify(message));
      const [program, args] = await commandOf(language, code, join(folder, "program"));
      return (await run(program, args, { cwd: folder })).stdout.trim();
    };
    const now = new Date();
    expect(await send(now)).toBe("record.created");
    // During a rotation, a message has a signature of each secret.
    const otherSignature = `v1,${Buffer.alloc(32).toString("base64")} `;
    expect(await send(now, body, otherSignature)).toBe("record.created");
    expect(await send(now, body.replace("Zoë", "Zoe"))).toBe("rejected");
    expect(await send(new Date(now.getTime() - 301_000))).toBe("rejected");
    rmSync(folder, { recursive: true });
  },
);
