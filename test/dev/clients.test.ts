import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingForJava, runJava } from "../clients/java.ts";
import { caller, Server, type Call } from "./server.ts";

const project = new URL("../..", import.meta.url).pathname;
const clients = join(project, "test/clients");
const generated = join(clients, ".generated");
const run = promisify(execFile);

describe("What integrators do with the documents", () => {
  const server = new Server(8788);
  let call: Call;
  let env: NodeJS.ProcessEnv;
  const documents = {
    purchase: "/forms/purchase/openapi.json",
    orders: "/apps/orders/openapi.json",
    joined: "/openapi.json?forms=purchase,visits&apps=orders",
    service: "/openapi.json",
  };
  const names = Object.keys(documents);

  beforeAll(async () => {
    await run("node", [join(project, "packages/client/build.ts")]);
    await server.start();
    const { token } = await server.credential("--requests", "100000", "--writes", "100000");
    call = caller(server.url, token);
    env = { ...process.env, URL: server.url, TOKEN: token };
    rmSync(generated, { recursive: true, force: true });
    mkdirSync(generated, { recursive: true });
    const fields = [{ key: "visitor", type: "text", required: true }];
    await call("PUT", "/forms/visits/schema", { fields });
    for (const [name, path] of Object.entries(documents)) {
      const { text } = await call("GET", path);
      writeFileSync(join(generated, `${name}.json`), text);
      const older = await call("GET", `${path}${path.includes("?") ? "&" : "?"}version=3.0`);
      writeFileSync(join(generated, `${name}-older.json`), older.text);
    }
  });
  afterAll(() => server.remove());

  const own = (name: string) => join(clients, "node_modules/.bin", name);
  const bin = (name: string) => join(project, "node_modules/.bin", name);
  const inClients = (command: string, args: string[], more = {}) =>
    run(command, args, { cwd: clients, env: { ...env, ...more } });

  it("public linters with strict rules have nothing to say", async () => {
    const files = names.flatMap((each) => [`${each}.json`, `${each}-older.json`]);
    const paths = files.map((file) => join(generated, file));
    const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const args = ["lint", "--extends=recommended-strict", "--format=json", ...paths];
    const { stdout } = await inClients(bin("redocly"), args, quiet).catch((error) => error);
    // One after another, each of several lines.
    const linted = `[${(stdout as string).replaceAll("\n}{", "\n},{")}]`;
    const problems = (JSON.parse(linted) as { problems: object[] }[]).map((each) => each.problems);
    expect(problems).toEqual(files.map(() => []));
    const spectral = ["lint", "--ruleset=spectral.yaml", "--format=json", "--quiet", ...paths];
    const found = await inClients(bin("spectral"), spectral).catch((error) => error);
    expect(JSON.parse(found.stdout).filter(isOfSchema)).toEqual([]);
  });

  /** In an example, a field with a type and a default looks like a schema to it. */
  const isOfSchema = ({ path }: { path: string[] }) => !path.includes("example");

  it("public generators make clients that compile strictly; they create, search and read", async () => {
    for (const name of names) {
      const input = join(generated, `${name}.json`);
      await inClients(own("openapi-typescript"), [input, "-o", join(generated, `${name}.ts`)]);
      await inClients(bin("typed-openapi"), [input, "-o", `.generated/typed-${name}.ts`]);
      const made = join(generated, name === "purchase" ? "hey-api" : `hey-api-${name}`);
      await inClients(own("openapi-ts"), ["-f", "hey-api.config.ts"], {
        DOCUMENT: input,
        CLIENT: made,
      });
    }
    const compiled = await inClients(bin("tsc"), ["-p", "."]).catch((error) => error);
    expect(compiled.stdout).toBe("");
    const { stdout } = await inClients("node", ["hey-api-client.ts"]);
    expect(stdout.split("\n")).toEqual([
      "By hey-api: 1",
      "draft without a title; the version stays the same",
      "defined: Bought by hey-api",
      "",
    ]);
  });

  it("a generator of Java makes classes of them, which compile; they create, search, read and define", async () => {
    const folders = names.map((name) => join(generated, `java-${name}`));
    for (const [at, name] of names.entries()) {
      const config = {
        inputPath: join(generated, `${name}-older.json`),
        outputPath: folders[at],
        generator: "@openapi-generator-plus/java-cxf-client-generator",
        package: `example.${name}`,
      };
      const file = join(generated, `java-${name}.json`);
      writeFileSync(file, JSON.stringify(config));
      await inClients(bin("openapi-generator-plus"), ["generate", "-c", file]);
    }
    const missing = await missingForJava();
    // Whoever has no Java may still run the other tests; .ci/run installs it.
    if (missing.length > 0 && process.env["CI"] === undefined) return;
    expect(missing).toEqual([]);
    expect(await runJava(folders, join(generated, "java"), env)).toEqual([
      "submitted, once: true",
      "found 12.5 for 2026-12-01+09:00",
      'version_mismatch, now "1"',
      "version 2, Optional.empty",
      "not_found",
      "invalid_input, ordered_on: required",
      "total 3.3",
      "defined: Bought by Java",
      "",
    ]);
  });

  it("a collection for Postman has every operation, with the bearer of the collection", async () => {
    for (const name of ["joined", "service"]) {
      const [input, made] = [`${name}.json`, `${name}.postman.json`].map((each) =>
        join(generated, each),
      );
      const options = ["-s", input ?? "", "-o", made ?? "", "-p", "-O", "folderStrategy=Tags"];
      await inClients(bin("openapi2postmanv2"), options);
      const collection = read(`${name}.postman.json`);
      expect(collection.auth.type).toBe("bearer");
      const requests = requestsIn(collection.item).map(
        ({ method, url }) => `${method} /${url.path.join("/").replaceAll(/:(\w+)/g, "{$1}")}`,
      );
      expect(requests.toSorted()).toEqual(operationsOf(read(`${name}.json`)).toSorted());
    }
  });

  it("the converter of n8n makes a node of them: each operation, and the fields of bodies", async () => {
    const { N8NPropertiesBuilder } = createRequire(join(clients, "package.json"))(
      "@devlikeapro/n8n-openapi-node",
    );
    for (const name of ["joined", "service"]) {
      const document = read(`${name}.json`);
      const quiet = { child: () => quiet, warn: () => undefined, info: () => undefined };
      const made: N8nProperty[] = new N8NPropertiesBuilder(document, { logger: quiet }).build();
      const operations = made
        .filter(({ name: key, type }) => key === "operation" && type === "options")
        .flatMap(({ options = [] }) => options);
      expect(operations).toHaveLength(operationsOf(document).length);
      expect(made.some((each) => each.routing?.send?.property === "data")).toBe(true);
    }
  });

  const read = (file: string) => JSON.parse(readFileSync(join(generated, file), "utf8"));

  it("the types of examples/typed-client are those that the form's document gives", () => {
    const made = readFileSync(join(generated, "purchase.ts"), "utf8").replaceAll(
      server.url,
      "http://127.0.0.1:8787",
    );
    expect(readFileSync(join(project, "examples/typed-client/purchase.ts"), "utf8")).toBe(made);
  });

  it("the examples run", async () => {
    const typed = await run("node", [join(project, "examples/typed-client/run.ts")], { env });
    expect(typed.stdout).toMatch(/^created sub_\w+: Paper\n\d submissions, .* in all\nfound sub_/);
    const plain = await run("node", [join(project, "examples/plain-fetch/run.ts")], { env });
    expect(plain.stdout).toMatch(
      /^created ORD-\d{6}, total 30.2\nchanged to version 2\n\d records\n$/,
    );
    const curl = await run(join(project, "examples/curl/run.sh"), [], { env });
    expect(curl.stdout).toContain('"customer":"Suzuki"');
    expect(curl.stdout).toContain("customer,");
  });
});

interface N8nProperty {
  type: string;
  name: string;
  options?: object[];
  routing?: { send?: { property?: string } };
}

interface PostmanItem {
  item?: PostmanItem[];
  request?: { method: string; url: { path: string[] } };
}

const requestsIn = (items: PostmanItem[]): NonNullable<PostmanItem["request"]>[] =>
  items.flatMap(({ item = [], request }) => [...(request ? [request] : []), ...requestsIn(item)]);

const operationsOf = ({ paths }: { paths: Record<string, object> }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((each) => /^(get|post|put|patch|delete)$/.test(each))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
