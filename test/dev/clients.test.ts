import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caller, Server, type Call } from "./server.ts";

const project = new URL("../..", import.meta.url).pathname;
const clients = join(project, "test/clients");
const generated = join(clients, ".generated");
const run = promisify(execFile);

describe("What integrators do with the documents", () => {
  const server = new Server(8797);
  let call: Call;
  let env: NodeJS.ProcessEnv;
  const documents = { purchase: "/forms/purchase", orders: "/apps/orders" };

  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential("--requests", "100000", "--writes", "100000");
    call = caller(server.url, token);
    env = { ...process.env, URL: server.url, TOKEN: token };
    rmSync(generated, { recursive: true, force: true });
    mkdirSync(generated, { recursive: true });
    for (const [name, path] of Object.entries(documents)) {
      const { text } = await call("GET", `${path}/openapi.json`);
      writeFileSync(join(generated, `${name}.json`), text);
    }
    const service = await (await fetch(`${server.url}/openapi.json`)).text();
    writeFileSync(join(generated, "service.json"), service);
  });
  afterAll(() => server.remove());

  const bin = (name: string) => join(project, "node_modules/.bin", name);
  const inClients = (command: string, args: string[], more = {}) =>
    run(command, args, { cwd: clients, env: { ...env, ...more } });

  it("a public linter with strict rules has nothing to say", async () => {
    const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    for (const name of ["purchase", "orders", "service"]) {
      const file = join(generated, `${name}.json`);
      const args = ["lint", "--extends=recommended-strict", "--format=json", file];
      const { stdout } = await inClients(bin("redocly"), args, quiet).catch((error) => error);
      expect([name, JSON.parse(stdout).problems]).toEqual([name, []]);
    }
  });

  it("two public generators make clients that compile strictly; they create, search and read", async () => {
    const typescript = join(clients, "node_modules/.bin/openapi-typescript");
    for (const name of ["purchase", "orders", "service"]) {
      const input = join(generated, `${name}.json`);
      await inClients(typescript, [input, "-o", join(generated, `${name}.ts`)]);
      const made = join(generated, name === "purchase" ? "hey-api" : `hey-api-${name}`);
      await inClients(join(clients, "node_modules/.bin/openapi-ts"), ["-f", "hey-api.config.ts"], {
        DOCUMENT: input,
        CLIENT: made,
      });
    }
    const compiled = await inClients(bin("tsc"), ["-p", "."]).catch((error) => error);
    expect(compiled.stdout).toBe("");
    const { stdout } = await inClients("node", ["hey-api-client.ts"]);
    expect(stdout).toBe("By hey-api: 1\n");
  });

  it("the types of examples/typed-client are those that the form's document gives", () => {
    const made = readFileSync(join(generated, "purchase.ts"), "utf8");
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
