import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
/** The Node that runs the command, which is for Node 20 and newer: CI says the machine's own. */
const node = process.env["EDGE_FORMS_NODE"] ?? "node";
/** 10,000 take 15 seconds to a minute on two cores. */
const count = Number(process.env["EDGE_FORMS_ITEMS"] ?? 10_000);
const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });
const lines = {
  key: "lines",
  type: "line_items",
  fields: [
    text("sku"),
    { key: "qty", type: "number", integer: true },
    { key: "price", type: "number", decimals: 2 },
    { key: "amount", type: "computed", formula: "qty * price", result: "number", decimals: 2 },
  ],
};
const total = {
  key: "total",
  type: "computed",
  formula: "sum(lines.map(l, l.amount))",
  result: "number",
};
const fields = [
  text("code", { required: true, unique: true }),
  { key: "day", type: "date" },
  { key: "at", type: "datetime" },
  { key: "kind", type: "select", options: [{ value: "a", label: "A" }, { value: "b" }] },
  lines,
  total,
];
const app = { name: "Orders", receipt_prefix: "ORD-", time_zone: "Asia/Tokyo", fields };
const form = { name: "Visits", fields: [text("visitor", { required: true }), text("note")] };

describe("The command edge-forms", () => {
  const [from, to] = [new Server(8842), new Server(8843)];
  const clients = new Map<Server, EdgeForms>();
  const env = new Map<Server, NodeJS.ProcessEnv>();
  const folder = () => join(from.folder, "moved");
  const file = (path: string) => join(folder(), path);
  const write = (path: string, content: object) =>
    writeFileSync(file(path), JSON.stringify(content));
  const clientOf = (server: Server) => clients.get(server) as EdgeForms;

  beforeAll(async () => {
    await promisify(execFile)("node", [join(home, "build.ts")]);
    await Promise.all([from, to].map((server) => prepare(server)));
  });

  async function prepare(server: Server): Promise<void> {
    await server.start();
    const { token } = await server.credential("--requests", "100000", "--writes", "100000");
    const { url } = server;
    clients.set(server, new EdgeForms({ url, token }));
    env.set(server, { PATH: process.env["PATH"], EDGE_FORMS_URL: url, EDGE_FORMS_TOKEN: token });
  }
  afterAll(async () => {
    await from.remove();
    await to.remove();
  });

  async function run(server: Server, ...args: string[]) {
    const options = { env: env.get(server), cwd: from.folder };
    const ended = await promisify(execFile)(node, [command, ...args], options).catch(
      (error) => error as { code: number; stdout: string; stderr: string },
    );
    return { code: 0, ...ended };
  }

  /** `kill -9` as soon as it has come as far as `until` says. */
  async function kill(server: Server, args: string[], until: () => boolean): Promise<void> {
    const started = spawn(node, [command, ...args], { env: env.get(server), stdio: "ignore" });
    const gone = new Promise((resolve) => started.on("exit", resolve));
    while (!until() && started.exitCode === null) await wait(5);
    await wait(Math.random() * 100);
    started.kill("SIGKILL");
    await gone;
  }

  const entries = (path: string) => {
    const [name] = readdirSync(file("apps")).filter((each) => each.endsWith(".import"));
    const journal =
      name && existsSync(file(path)) ? readFileSync(file(`apps/${name}`), "utf8") : "";
    return journal.split("\n").length - 2;
  };

  it("definitions as code: plan tells what apply changes, and nothing after it", async () => {
    const client = clientOf(from);
    await client.request("PUT", "/apps/bought/schema", { body: app });
    await client.request("PUT", "/forms/visits/schema", { body: form });
    const chosen = ["--apps", "bought", "--forms", "visits"];
    expect(await run(from, "export", folder(), ...chosen)).toMatchObject({ code: 0, stderr: "" });
    const same = await run(from, "plan", folder());
    expect([same.code, same.stdout]).toEqual([
      0,
      expect.stringMatching(/^Not in the .*\n0 to create, 0 to change, 2 unchanged.\n$/),
    ]);
    expect((await run(to, "plan", folder())).code).toBe(2);
    expect((await run(to, "apply", folder())).stderr).toContain("--yes");
    const applied = await run(to, "apply", folder(), "--yes");
    expect([applied.code, applied.stdout]).toEqual([
      0,
      expect.stringContaining("app bought: created, version 1."),
    ]);
    expect((await run(to, "plan", folder())).code).toBe(0);

    // As an author writes it: short, with a rename, a new field, and one left out.
    const short = [
      text("visitor_name", { renamed_from: "visitor" }),
      { key: "seen", type: "boolean", default: false },
    ];
    write("forms/visits.json", { description: "At the door", fields: short });
    const plan = await run(to, "plan", folder(), "--forms", "visits");
    expect([plan.code, plan.stdout.split("\n")]).toEqual([
      2,
      [
        "form visits: version 1",
        '  ~ description: "" → "At the door"',
        "  ~ visitor_name: renamed from visitor",
        '  ~ visitor_name.label: "visitor" → "visitor_name"',
        "  ~ visitor_name.required: true → false",
        '  + seen: {"type":"boolean","default":false}',
        "  - note: retired; what is stored stays, hidden",
        expect.stringMatching(/^Not in the directory/),
        "0 to create, 1 to change, 0 unchanged.",
        "",
      ],
    ]);
    await run(to, "apply", folder(), "--yes");
    expect((await run(to, "plan", folder())).code).toBe(0);
    write("forms/visits.json", form);
    await run(to, "apply", folder(), "--yes");
    expect((await run(to, "plan", folder())).code).toBe(0);
  });

  it("what is wrong is told in a sentence, with its places, and ends with 1", async () => {
    write("forms/wrong.json", { fields: [{ key: "a", type: "nothing" }] });
    const refused = await run(to, "apply", folder(), "--forms", "wrong", "--yes");
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^edge-forms: form wrong: invalid_input: .*\n {2}fields\[0\].*\n {2}request \S+\n$/,
      ),
    ]);
    rmSync(file("forms/wrong.json"));
    const wrong = { PATH: process.env["PATH"], EDGE_FORMS_URL: to.url, EDGE_FORMS_TOKEN: "efp_x" };
    const told = await promisify(execFile)(node, [command, "plan", folder()], {
      env: wrong,
    }).catch((error) => error as { code: number; stderr: string });
    expect(told).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/unauthenticated: EDGE_FORMS_TOKEN is wrong, expired/),
    });
    for (const address of ["localhost", "localhost:8787", `${to.url}/api/v1`]) {
      const elsewhere = { ...wrong, EDGE_FORMS_URL: address };
      const asked = promisify(execFile)(node, [command, "plan", folder()], { env: elsewhere });
      const said = await asked.catch((error) => error as { code: number; stderr: string });
      expect([address, said.stderr]).toEqual([
        address,
        expect.stringContaining("like https://forms.example.com, without /api/v1"),
      ]);
    }
    expect((await run(to, "import", folder())).stderr).toContain("no apps/*.ndjson");
    expect(await run(to, "plan", folder(), "--token", "x")).toMatchObject({
      code: 1,
      stderr: "edge-forms: Unknown option '--token'. See --help.\n",
    });
  });

  it("nothing is written outside of the directory, whatever keys a service tells of", async () => {
    const told = { items: [{ key: "../../outside" }], links: { next: null }, schema_version: 1 };
    const liar = createServer((_, answer) => {
      answer
        .setHeader("Content-Type", "application/json")
        .end(JSON.stringify({ ...told, fields: [] }));
    });
    await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve));
    const { port } = liar.address() as AddressInfo;
    const own = { ...env.get(to), EDGE_FORMS_URL: `http://127.0.0.1:${port}` };
    const ended = await promisify(execFile)(node, [command, "export", file("deep/in")], {
      env: own,
    }).catch((error) => error as { code: number; stderr: string });
    liar.close();
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("is no key") });
    expect(existsSync(file("deep/outside.json"))).toBe(false);
  });

  it("somebody else's change since the plan is not overwritten", async () => {
    write("forms/visits.json", { ...form, description: "ours" });
    const asked = run(to, "apply", folder(), "--yes");
    const others = clientOf(to).request("PUT", "/forms/visits/schema", {
      body: { ...form, description: "theirs" },
    });
    const [{ code, stderr }] = await Promise.all([asked, others]);
    const { description } = await clientOf(to).request<{ description: string }>(
      "GET",
      "/forms/visits/schema",
    );
    expect([code, description]).toEqual(code === 0 ? [0, expect.any(String)] : [1, "theirs"]);
    if (code === 1) expect(stderr).toContain("was changed since");
    write("forms/visits.json", form);
    await run(to, "apply", folder(), "--yes");
  });

  it(`${count} items move between two services through kill -9: 0 differ, none doubled`, async () => {
    const code = (index: number) => `c${index}`;
    const operations = Array.from({ length: count }, (_, index) => ({
      op: "create" as const,
      data: {
        code: code(index),
        day: "2026-11-21",
        at: "2026-11-21T09:30:00+09:00",
        kind: index % 3 === 0 ? null : "a",
        lines: [{ sku: "Ångström", qty: index % 7, price: 0.1 }],
      },
    }));
    const source = clientOf(from).records("bought");
    await source.batch(operations);
    const items = ["--items", "--apps", "bought"];
    await kill(from, ["export", folder(), ...items], () =>
      existsSync(file("apps/bought.ndjson.part.json")),
    );
    expect(existsSync(file("apps/bought.ndjson"))).toBe(false);
    expect((await run(from, "export", folder(), ...items)).code).toBe(0);
    const started = Date.now();
    const importing = ["import", folder(), "--apps", "bought"];
    for (const share of [0, 0.3, 0.6]) {
      const least = Math.floor((count / 100) * share);
      await kill(to, importing, () => entries("apps/bought.ndjson") >= least);
      expect(entries("apps/bought.ndjson")).toBeLessThan(count / 100);
    }
    for (const _ of [1, 2]) {
      const { code: ended, stdout } = await run(to, ...importing);
      expect([ended, stdout]).toEqual([
        0,
        `app bought: ${count.toLocaleString("en")} items, 0 differ.\n`,
      ]);
    }
    console.warn(
      `${count} items in ${Date.now() - started} ms with three kills, and compared twice`,
    );
    const told = ({ receipt_number, data }: { receipt_number: string; data: unknown }) => ({
      receipt_number,
      data,
    });
    const stored = await clientOf(to).records("bought").list().toArray();
    expect(stored).toHaveLength(count);
    expect(stored.map(told)).toEqual((await source.list().toArray()).map(told));
  });

  it("an import by a unique field sends what was changed again, and makes no second item", async () => {
    const [source, target] = [from, to].map((server) => clientOf(server).records("parts"));
    if (!source || !target) throw new Error("There are two services.");
    for (const server of [from, to]) {
      await clientOf(server).request("PUT", "/apps/parts/schema", { body: app });
    }
    const data = Array.from({ length: 250 }, (_, index) => ({ code: `c${index}`, kind: "a" }));
    await source.batch(data.map((each) => ({ op: "create", data: each })));
    await run(from, "export", folder(), "--items", "--apps", "parts");
    const imported = (...args: string[]) => run(to, "import", folder(), "--apps", "parts", ...args);
    expect((await imported()).code).toBe(0);
    const conditions = [{ field: "code", op: "eq", value: "c7" }];
    const [first] = await target.search({ conditions }).toArray();
    await target.update(first?.id ?? "", { kind: "b" });
    const other = await imported();
    expect([other.code, other.stdout]).toEqual([2, expect.stringContaining("differs in kind.")]);
    expect((await imported("--by", "code")).code).toBe(0);
    for (const name of readdirSync(file("apps")).filter((each) => each.endsWith(".import"))) {
      rmSync(file(`apps/${name}`));
    }
    expect((await imported()).stderr).toContain("has items already");
    expect((await imported("--by", "code")).stdout).toContain(" 0 differ");
    expect(await target.list().toArray()).toHaveLength(data.length);
  });

  it("submissions keep their status; what is refused is named by its line, and mended", async () => {
    const visits = clientOf(from).submissions("visits");
    await visits.create({ visitor: "A" });
    await visits.create({}, { status: "draft" });
    const { id } = await visits.create({ visitor: "C", note: "three" });
    await visits.update(id, {}, { status: "closed" });
    await run(from, "export", folder(), "--items", "--forms", "visits");
    const path = file("forms/visits.ndjson");
    const good = readFileSync(path, "utf8");
    writeFileSync(path, good.replace('"A"', '"A","zz":1'));
    const importing = ["import", path, "--forms", "visits"];
    const { code, stderr } = await run(to, ...importing);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/visits\.ndjson:1 data\.zz: unknown_field: .*\n {2}request \S+\n$/),
    ]);
    writeFileSync(path, good);
    expect((await run(to, ...importing)).stdout).toBe("form visits: 3 items, 0 differ.\n");
    const stored = await clientOf(to).submissions("visits").list().toArray();
    expect(stored.map(({ status }) => status)).toEqual(["submitted", "draft", "closed"]);
    // What somebody wrote by hand, in other words for the same: more lines than before.
    writeFileSync(path, `${good}${JSON.stringify({ data: { visitor: "D", note: "" } })}\n`);
    expect((await run(to, ...importing)).stdout).toBe("form visits: 4 items, 0 differ.\n");
  });
});
