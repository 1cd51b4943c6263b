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
const generatedFolder = join(clients, ".generated");
const run = promisify(execFile);

describe("OpenAPI documents in public tools", () => {
  const server = new Server();
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
    await server.start();
    const { token } = await server.credential("--requests", "100000", "--writes", "100000");
    call = caller(server.url, token);
    env = { ...process.env, URL: server.url, TOKEN: token };
    rmSync(generatedFolder, { recursive: true, force: true });
    mkdirSync(generatedFolder, { recursive: true });
    const visitor = { key: "visitor", type: "text", required: true };
    await call("PUT", "/forms/visits/schema", { fields: [{ ...visitor, key: "name" }] });
    const note = { key: "note", type: "text", default: "none" };
    const renamed = { ...visitor, renamed_from: "name" };
    await call("PUT", "/forms/visits/schema", { fields: [renamed, note] });
    for (const [name, path] of Object.entries(documents)) {
      const { text } = await call("GET", path);
      writeFileSync(join(generatedFolder, `${name}.json`), text);
      const version30 = await call("GET", `${path}${path.includes("?") ? "&" : "?"}version=3.0`);
      writeFileSync(join(generatedFolder, `${name}-older.json`), version30.text);
    }
  });
  afterAll(() => server.remove());

  const clientBin = (name: string) => join(clients, "node_modules/.bin", name);
  const projectBin = (name: string) => join(project, "node_modules/.bin", name);
  const inClients = (command: string, args: string[], extraEnv = {}) =>
    run(command, args, { cwd: clients, env: { ...env, ...extraEnv } });

  it("passes public linters with strict rules", async () => {
    const files = names.flatMap((name) => [`${name}.json`, `${name}-older.json`]);
    const paths = files.map((file) => join(generatedFolder, file));
    const noTelemetry = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const args = ["lint", "--extends=recommended-strict", "--format=json", ...paths];
    const { stdout } = await inClients(projectBin("redocly"), args, noTelemetry).catch(
      (error) => error,
    );
    // Redocly prints several JSON documents, one after the other.
    const reports = `[${(stdout as string).replaceAll("\n}{", "\n},{")}]`;
    const problems = (JSON.parse(reports) as { problems: object[] }[]).map(
      (report) => report.problems,
    );
    expect(problems).toEqual(files.map(() => []));
    // Spectral needs five times as long. The joined document has the operations of the two that it joins, and the other
    // document is checked in the older version.
    const two = paths.filter((path) => /\/(joined|service-older)\.json$/.test(path));
    const spectral = ["lint", "--ruleset=spectral.yaml", "--format=json", "--quiet", ...two];
    const result = await inClients(projectBin("spectral"), spectral).catch((error) => error);
    expect(JSON.parse(result.stdout)).toEqual([]);
  });

  it("generates TypeScript clients that compile strictly and create, search and read", async () => {
    for (const name of names) {
      const input = join(generatedFolder, `${name}.json`);
      await inClients(clientBin("openapi-typescript"), [
        input,
        "-o",
        join(generatedFolder, `${name}.ts`),
      ]);
      await inClients(projectBin("typed-openapi"), [input, "-o", `.generated/typed-${name}.ts`]);
      const client = join(generatedFolder, name === "purchase" ? "hey-api" : `hey-api-${name}`);
      await inClients(clientBin("openapi-ts"), ["-f", "hey-api.config.ts"], {
        DOCUMENT: input,
        CLIENT: client,
      });
    }
    const compilation = await inClients(projectBin("tsc"), ["-p", "."]).catch((error) => error);
    expect(compilation.stdout).toBe("");
    const { stdout } = await inClients("node", ["hey-api-client.ts"]);
    expect(stdout.split("\n")).toEqual([
      "By hey-api: 1",
      "draft without a title; the version stays the same",
      "defined: Bought by hey-api",
      "2026-03: 3.3, Yamada and A-1, true",
      "",
    ]);
  });

  it("generates Java classes that compile and create, search, read and define", async () => {
    const folders = names.map((name) => join(generatedFolder, `java-${name}`));
    for (const [index, name] of names.entries()) {
      const config = {
        inputPath: join(generatedFolder, `${name}-older.json`),
        outputPath: folders[index],
        generator: "@openapi-generator-plus/java-cxf-client-generator",
        package: `example.${name}`,
      };
      const file = join(generatedFolder, `java-${name}.json`);
      writeFileSync(file, JSON.stringify(config));
      await inClients(projectBin("openapi-generator-plus"), ["generate", "-c", file]);
    }
    const missing = await missingForJava();
    // Without Java, the test passes outside CI. .ci/run installs Java.
    if (missing.length > 0 && process.env["CI"] === undefined) return;
    expect(missing).toEqual([]);
    expect(await runJava(folders, join(generatedFolder, "java"), env)).toEqual([
      "submitted, once: true",
      "found 12.5 for 2026-12-01+09:00",
      'version_mismatch, now "1"',
      "version 2, Optional.empty",
      "not_found",
      "invalid_input, ordered_on: required",
      "total 3.3",
      "of Yamada",
      "2026-11: 3.3, true",
      "defined: Bought by Java",
      "",
    ]);
  });

  it("converts to a Postman collection with every operation and bearer authentication", async () => {
    for (const name of ["joined", "service"]) {
      const [input, output] = [`${name}.json`, `${name}.postman.json`].map((file) =>
        join(generatedFolder, file),
      );
      const options = ["-s", input ?? "", "-o", output ?? "", "-p", "-O", "folderStrategy=Tags"];
      await inClients(projectBin("openapi2postmanv2"), options);
      const collection = readGenerated(`${name}.postman.json`);
      expect(collection.auth.type).toBe("bearer");
      const requests = requestsIn(collection.item).map(
        ({ method, url }) => `${method} /${url.path.join("/").replaceAll(/:(\w+)/g, "{$1}")}`,
      );
      expect(requests.toSorted()).toEqual(operationsOf(readGenerated(`${name}.json`)).toSorted());
    }
  });

  it("converts to an n8n node with every operation and the fields of bodies", async () => {
    const { N8NPropertiesBuilder } = createRequire(join(clients, "package.json"))(
      "@devlikeapro/n8n-openapi-node",
    );
    for (const name of ["joined", "service"]) {
      const document = readGenerated(`${name}.json`);
      const logger = { child: () => logger, warn: () => undefined, info: () => undefined };
      const properties: N8nProperty[] = new N8NPropertiesBuilder(document, {
        logger,
      }).build();
      const operations = properties
        .filter(({ name: key, type }) => key === "operation" && type === "options")
        .flatMap(({ options = [] }) => options);
      expect(operations).toHaveLength(operationsOf(document).length);
      expect(properties.some((property) => property.routing?.send?.property === "data")).toBe(true);
    }
  });

  const readGenerated = (file: string) =>
    JSON.parse(readFileSync(join(generatedFolder, file), "utf8"));

  it("generates the types of examples/typed-client from the form's document", () => {
    const generatedTypes = readFileSync(join(generatedFolder, "purchase.ts"), "utf8").replaceAll(
      server.url,
      "http://127.0.0.1:8787",
    );
    expect(readFileSync(join(project, "examples/typed-client/purchase.ts"), "utf8")).toBe(
      generatedTypes,
    );
  });

  it("runs the examples", async () => {
    const typedClient = await run("node", [join(project, "examples/typed-client/run.ts")], { env });
    expect(typedClient.stdout).toMatch(
      /^created sub_\w+: Paper\n\d+ submissions, .* in all\nfound sub_/,
    );
    const plainFetch = await run("node", [join(project, "examples/plain-fetch/run.ts")], { env });
    expect(plainFetch.stdout).toMatch(
      /^created ORD-\d{6}, total 30.2\nchanged to version 2\n\d+ records\n$/,
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
      .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
