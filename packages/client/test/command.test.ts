import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "../../../test/dev/server.ts";
import { EdgeForms } from "../src/index.ts";

const home = new URL("..", import.meta.url).pathname;
const command = join(home, "dist/command/main.js");
/** The Node that runs the command. CI sets the machine's own Node, because the command supports Node 20. */
const node = process.env["EDGE_FORMS_NODE"] ?? "node";
/** 5,000 items take 7 seconds to half a minute on two cores. */
const count = Number(process.env["EDGE_FORMS_ITEMS"] ?? 5000);
const textField = (key: string, rules: object = {}) => ({ key, type: "text", ...rules });
const linesField = {
  key: "lines",
  type: "line_items",
  fields: [
    textField("sku"),
    { key: "qty", type: "number", integer: true },
    { key: "price", type: "number", decimals: 2 },
    { key: "amount", type: "computed", formula: "qty * price", result: "number", decimals: 2 },
  ],
};
const totalField = {
  key: "total",
  type: "computed",
  formula: "sum(lines.map(l, l.amount))",
  result: "number",
};
const fields = [
  textField("code", { required: true, unique: true }),
  { key: "day", type: "date" },
  { key: "at", type: "datetime" },
  { key: "kind", type: "select", options: [{ value: "a", label: "A" }, { value: "b" }] },
  linesField,
  totalField,
];
const app = { name: "Orders", receipt_prefix: "ORD-", time_zone: "Asia/Tokyo", fields };
const form = {
  name: "Visits",
  fields: [textField("visitor", { required: true }), textField("note")],
};

describe("The command edge-forms", () => {
  const [source, target] = [new Server(), new Server()];
  const clients = new Map<Server, EdgeForms>();
  const environments = new Map<Server, NodeJS.ProcessEnv>();
  const folder = () => join(source.folder, "moved");
  const file = (path: string) => join(folder(), path);
  const write = (path: string, content: object) =>
    writeFileSync(file(path), JSON.stringify(content));
  const clientOf = (server: Server) => clients.get(server) as EdgeForms;

  beforeAll(async () => {
    await Promise.all([source, target].map((server) => prepare(server)));
  });

  async function prepare(server: Server): Promise<void> {
    await server.start();
    const { token } = await server.credential("--requests", "100000", "--writes", "100000");
    const { url } = server;
    clients.set(server, new EdgeForms({ url, token }));
    environments.set(server, {
      PATH: process.env["PATH"],
      EDGE_FORMS_URL: url,
      EDGE_FORMS_TOKEN: token,
    });
  }
  afterAll(async () => {
    await source.remove();
    await target.remove();
  });

  async function run(server: Server, ...args: string[]) {
    const options = { env: environments.get(server), cwd: source.folder };
    const result = await promisify(execFile)(node, [command, ...args], options).catch(
      (error) => error as { code: number; stdout: string; stderr: string },
    );
    return { code: 0, ...result };
  }

  /** Starts the command and kills it with SIGKILL shortly after `until` returns true. */
  async function kill(server: Server, args: string[], until: () => boolean): Promise<void> {
    const child = spawn(node, [command, ...args], {
      env: environments.get(server),
      stdio: "ignore",
    });
    const exited = new Promise((resolve) => child.on("exit", resolve));
    while (!until() && child.exitCode === null) await wait(5);
    await wait(Math.random() * 100);
    child.kill("SIGKILL");
    await exited;
  }

  const journalEntryCount = (path: string) => {
    const [name] = readdirSync(file("apps")).filter((fileName) => fileName.endsWith(".import"));
    const journal =
      name && existsSync(file(path)) ? readFileSync(file(`apps/${name}`), "utf8") : "";
    return journal.split("\n").length - 2;
  };

  it("shows with plan what apply will change, and nothing after apply", async () => {
    const client = clientOf(source);
    await client.request("PUT", "/apps/bought/schema", { body: app });
    await client.request("PUT", "/forms/visits/schema", { body: form });
    const selection = ["--apps", "bought", "--forms", "visits"];
    expect(await run(source, "export", folder(), ...selection)).toMatchObject({
      code: 0,
      stderr: "",
    });
    const samePlan = await run(source, "plan", folder());
    expect([samePlan.code, samePlan.stdout]).toEqual([
      0,
      expect.stringMatching(/^Not in the .*\n0 to create, 0 to change, 2 unchanged.\n$/),
    ]);
    expect((await run(target, "plan", folder())).code).toBe(2);
    expect((await run(target, "apply", folder())).stderr).toContain("--yes");
    const applied = await run(target, "apply", folder(), "--yes");
    expect([applied.code, applied.stdout]).toEqual([
      0,
      expect.stringContaining("app bought: created, version 1."),
    ]);
    expect((await run(target, "plan", folder())).code).toBe(0);

    // A definition as a person writes it: short, with a renamed, a new and an omitted field.
    const shortFields = [
      textField("visitor_name", { renamed_from: "visitor" }),
      { key: "seen", type: "boolean", default: false },
    ];
    write("forms/visits.json", { description: "At the door", fields: shortFields });
    const plan = await run(target, "plan", folder(), "--forms", "visits");
    expect([plan.code, plan.stdout.split("\n")]).toEqual([
      2,
      [
        "form visits: version 1",
        '  ~ description: "" → "At the door"',
        "  ~ visitor_name: renamed from visitor",
        '  ~ visitor_name.label: "visitor" → "visitor_name"',
        "  ~ visitor_name.required: true → false",
        '  + seen: {"type":"boolean","default":false}',
        "  - note: retired; its data stays stored but hidden",
        "  = hidden fields: note",
        expect.stringMatching(/^Not in the directory/),
        "0 to create, 1 to change, 0 unchanged.",
        "",
      ],
    ]);
    await run(target, "apply", folder(), "--yes");
    expect((await run(target, "plan", folder())).code).toBe(0);
    write("forms/visits.json", form);
    await run(target, "apply", folder(), "--yes");
    expect((await run(target, "plan", folder())).code).toBe(0);
  });

  it("exits with 1 and prints one sentence with the field errors when something is wrong", async () => {
    write("forms/wrong.json", { fields: [{ key: "a", type: "nothing" }] });
    const rejected = await run(target, "apply", folder(), "--forms", "wrong", "--yes");
    expect([rejected.code, rejected.stderr]).toEqual([
      1,
      "edge-forms: Nothing was applied. The service rejects form wrong.\n",
    ]);
    expect(rejected.stdout).toMatch(/ fields\[0\]\.type: /);
    const unknown = await run(target, "bogus");
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'edge-forms: Unknown command "bogus". Commands: export, plan, apply, import. See --help.\n',
    ]);
    rmSync(file("forms/wrong.json"));
    const wrongEnv = {
      PATH: process.env["PATH"],
      EDGE_FORMS_URL: target.url,
      EDGE_FORMS_TOKEN: "efp_x",
    };
    const result = await promisify(execFile)(node, [command, "plan", folder()], {
      env: wrongEnv,
    }).catch((error) => error as { code: number; stderr: string });
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/unauthenticated: EDGE_FORMS_TOKEN is wrong, expired/),
    });
    for (const address of ["localhost", "localhost:8787", `${target.url}/api/v1`]) {
      const wrongAddressEnv = { ...wrongEnv, EDGE_FORMS_URL: address };
      const running = promisify(execFile)(node, [command, "plan", folder()], {
        env: wrongAddressEnv,
      });
      const failure = await running.catch((error) => error as { code: number; stderr: string });
      expect([address, failure.stderr]).toEqual([
        address,
        expect.stringContaining("like https://forms.example.com, without /api/v1"),
      ]);
    }
    expect((await run(target, "import", folder())).stderr).toContain("no apps/*.ndjson");
    expect(await run(target, "plan", folder(), "--token", "x")).toMatchObject({
      code: 1,
      stderr: "edge-forms: Unknown option '--token'. See --help.\n",
    });
  });

  it("writes nothing outside the directory when a service returns keys with a path", async () => {
    const page = {
      items: [{ key: "../../outside" }],
      links: { next: null },
      schema_version: 1,
    };
    const maliciousServer = createServer((_, response) => {
      response
        .setHeader("Content-Type", "application/json")
        .end(JSON.stringify({ ...page, fields: [] }));
    });
    await new Promise<void>((resolve) => maliciousServer.listen(0, "127.0.0.1", resolve));
    const { port } = maliciousServer.address() as AddressInfo;
    const maliciousEnv = {
      ...environments.get(target),
      EDGE_FORMS_URL: `http://127.0.0.1:${port}`,
    };
    const result = await promisify(execFile)(node, [command, "export", file("deep/in")], {
      env: maliciousEnv,
    }).catch((error) => error as { code: number; stderr: string });
    maliciousServer.close();
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not a valid key"),
    });
    expect(existsSync(file("deep/outside.json"))).toBe(false);
  });

  it("does not overwrite a change that another client makes after the plan", async () => {
    write("forms/visits.json", { ...form, description: "ours" });
    const applying = run(target, "apply", folder(), "--yes");
    const otherWrite = clientOf(target).request("PUT", "/forms/visits/schema", {
      body: { ...form, description: "theirs" },
    });
    const [{ code, stderr }] = await Promise.all([applying, otherWrite]);
    const { description } = await clientOf(target).request<{ description: string }>(
      "GET",
      "/forms/visits/schema",
    );
    expect([code, description]).toEqual(code === 0 ? [0, expect.any(String)] : [1, "theirs"]);
    if (code === 1) expect(stderr).toContain("changed after");
    write("forms/visits.json", form);
    await run(target, "apply", folder(), "--yes");
  });

  it(`${count} items move between two services despite kill -9: 0 differ, no duplicates`, async () => {
    const codeOf = (index: number) => `c${index}`;
    const operations = Array.from({ length: count }, (_, index) => ({
      op: "create" as const,
      data: {
        code: codeOf(index),
        day: "2026-11-21",
        at: "2026-11-21T09:30:00+09:00",
        kind: index % 3 === 0 ? null : "a",
        lines: [{ sku: "Ångström", qty: index % 7, price: 0.1 }],
      },
    }));
    const sourceRecords = clientOf(source).records("bought");
    await sourceRecords.batch(operations);
    const items = ["--items", "--apps", "bought"];
    await kill(source, ["export", folder(), ...items], () =>
      existsSync(file("apps/bought.ndjson.part.json")),
    );
    expect(existsSync(file("apps/bought.ndjson"))).toBe(false);
    expect((await run(source, "export", folder(), ...items)).code).toBe(0);
    const startedAt = Date.now();
    const importCommand = ["import", folder(), "--apps", "bought"];
    for (const share of [0, 0.3, 0.6]) {
      const minEntries = Math.floor((count / 100) * share);
      await kill(
        target,
        importCommand,
        () => journalEntryCount("apps/bought.ndjson") >= minEntries,
      );
      expect(journalEntryCount("apps/bought.ndjson")).toBeLessThan(count / 100);
    }
    for (const _ of [1, 2]) {
      const { code: exitCode, stdout } = await run(target, ...importCommand);
      expect([exitCode, stdout]).toEqual([
        0,
        `app bought: ${count.toLocaleString("en")} items, 0 differ.\n`,
      ]);
    }
    console.warn(
      `${count} items in ${Date.now() - startedAt} ms with three kills, and compared twice`,
    );
    const comparable = ({ receipt_number, data }: { receipt_number: string; data: unknown }) => ({
      receipt_number,
      data,
    });
    const stored = await clientOf(target).records("bought").list().toArray();
    expect(stored).toHaveLength(count);
    expect(stored.map(comparable)).toEqual((await sourceRecords.list().toArray()).map(comparable));
  });

  it("imports changed lines again by a unique field, without duplicate items", async () => {
    const [sourceParts, targetParts] = [source, target].map((server) =>
      clientOf(server).records("parts"),
    );
    if (!sourceParts || !targetParts) throw new Error("There are two services.");
    for (const server of [source, target]) {
      await clientOf(server).request("PUT", "/apps/parts/schema", { body: app });
    }
    const data = Array.from({ length: 250 }, (_, index) => ({ code: `c${index}`, kind: "a" }));
    await sourceParts.batch(data.map((record) => ({ op: "create", data: record })));
    await run(source, "export", folder(), "--items", "--apps", "parts");
    const runImport = (...args: string[]) =>
      run(target, "import", folder(), "--apps", "parts", ...args);
    expect((await runImport()).code).toBe(0);
    const conditions = [{ field: "code", op: "eq", value: "c7" }];
    const [item] = await targetParts.search({ conditions }).toArray();
    await targetParts.update(item?.id ?? "", { kind: "b" });
    const secondImport = await runImport();
    expect([secondImport.code, secondImport.stdout]).toEqual([
      2,
      expect.stringContaining("differs in kind."),
    ]);
    expect((await runImport("--by", "code")).code).toBe(0);
    for (const name of readdirSync(file("apps")).filter((fileName) =>
      fileName.endsWith(".import"),
    )) {
      rmSync(file(`apps/${name}`));
    }
    expect((await runImport()).stderr).toContain("already has items");
    expect((await runImport("--by", "code")).stdout).toContain(" 0 differ");
    expect(await targetParts.list().toArray()).toHaveLength(data.length);
  });

  it("keeps the status of submissions and names rejected lines, which a second import sends", async () => {
    const visits = clientOf(source).submissions("visits");
    await visits.create({ visitor: "A" });
    await visits.create({}, { status: "draft" });
    const { id } = await visits.create({ visitor: "C", note: "three" });
    await visits.update(id, {}, { status: "closed" });
    await run(source, "export", folder(), "--items", "--forms", "visits");
    const path = file("forms/visits.ndjson");
    const validLines = readFileSync(path, "utf8");
    writeFileSync(path, validLines.replace('"A"', '"A","zz":1'));
    const importCommand = ["import", path, "--forms", "visits"];
    const { code, stderr } = await run(target, ...importCommand);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/visits\.ndjson:1 data\.zz: unknown_field: .*\n {2}request \S+\n$/),
    ]);
    writeFileSync(path, validLines);
    expect((await run(target, ...importCommand)).stdout).toBe("form visits: 3 items, 0 differ.\n");
    const stored = await clientOf(target).submissions("visits").list().toArray();
    expect(stored.map(({ status }) => status)).toEqual(["submitted", "draft", "closed"]);
    // A handwritten line at the end, with an empty string where the service stores null.
    writeFileSync(path, `${validLines}${JSON.stringify({ data: { visitor: "D", note: "" } })}\n`);
    expect((await run(target, ...importCommand)).stdout).toBe("form visits: 4 items, 0 differ.\n");
  });

  it("applies a circle of apps and imports their items, whose references are receipt numbers or unique values", async () => {
    const circle = join(source.folder, "circle");
    mkdirSync(join(circle, "apps"), { recursive: true });
    const reference = (key: string, to: string) => ({ key, type: "reference", app: to });
    const definitions = {
      teams: { receipt_prefix: "TEAM-", fields: [textField("name"), reference("lead", "people")] },
      people: {
        title_field: "email",
        fields: [{ key: "email", type: "email", unique: true }, reference("office", "offices")],
      },
      offices: {
        fields: [{ key: "seats", type: "line_items", fields: [reference("team", "teams")] }],
      },
    };
    for (const [name, definition] of Object.entries(definitions))
      writeFileSync(join(circle, `apps/${name}.json`), JSON.stringify(definition));
    const applied = await run(target, "apply", circle, "--yes");
    expect([applied.code, applied.stderr]).toEqual([0, ""]);
    expect((await run(target, "plan", circle)).code).toBe(0);

    const writeLines = (name: string, ...data: object[]) =>
      writeFileSync(
        join(circle, `apps/${name}.ndjson`),
        data.map((line) => `${JSON.stringify({ data: line })}\n`).join(""),
      );
    writeLines("people", { email: "a@example.com" });
    writeLines("teams", { name: "A", lead: { email: "a@example.com" } }, { name: "B" });
    writeLines("offices", { seats: [{ team: "TEAM-000002" }, { team: "TEAM-000001" }] });
    for (const [name, total] of [
      ["people", 1],
      ["teams", 2],
      ["offices", 1],
    ] as const) {
      const { code, stdout } = await run(target, "import", circle, "--apps", name);
      expect([code, stdout]).toEqual([0, expect.stringContaining(`${total} item`)]);
      expect(stdout).toContain("0 differ");
    }
    const [office] = await clientOf(target).records("offices").list().toArray();
    const teams = await clientOf(target).records("teams").list().toArray();
    const idOf = (name: string) => teams.find(({ data }) => data["name"] === name)?.id;
    expect(office?.data["seats"]).toEqual([{ team: idOf("B") }, { team: idOf("A") }]);
  });
});
