import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { apply } from "../src/command/apply.ts";
import { planOf, showPlan } from "../src/command/plan.ts";
import type { Service } from "../src/command/service.ts";
import { EdgeForms } from "../src/index.ts";
import { FailingService, problem, type Answer, type Request } from "./failing-service.ts";

const invalidType = problem(422, "invalid_input", {
  errors: [
    { field: "fields[0].type", code: "invalid_definition", reason: "Must be a known type." },
  ],
});

const created = {
  outcome: "created",
  hidden_fields: [] as string[],
  recalculated_items: 0,
  reindexed_items: 0,
  checked_items: 0,
};

describe("plan and apply", () => {
  let folder: string;
  let fake: FailingService;
  let service: Service;
  let output: string;
  /** Answers a dry run. Definitions do not exist, and every other PUT succeeds. */
  let dryRun: (request: Request) => Answer;
  /** Answers a GET of a definition. */
  let stored: Answer;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "plan-"));
    mkdirSync(join(folder, "forms"));
    for (const [key, type] of [
      ["first", "text"],
      ["second", "txt"],
    ]) {
      const definition = JSON.stringify({ fields: [{ key: "a", type }] });
      writeFileSync(join(folder, `forms/${key}.json`), definition);
    }
    fake = new FailingService((request) => {
      const { method, path, query, body } = request;
      if (method === "PUT" && query.get("dry_run") === "true") return dryRun(request);
      if (method === "PUT") return { status: 201, body: { schema_version: 1, ...body } };
      if (path.endsWith("/schema")) return stored;
      return { status: 200, body: { items: [], links: { next: null } } };
    });
    const url = await fake.start();
    service = { url, client: new EdgeForms({ url, token: "efp_x" }) };
    output = "";
    stored = problem(404, "not_found");
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      output += String(text);
      return true;
    });
    dryRun = ({ path, body }) =>
      path.includes("second")
        ? invalidType
        : { status: 200, body: { ...body, consequences: created } };
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await fake.stop();
    rmSync(folder, { recursive: true });
  });

  const writes = () =>
    fake.requests.filter(({ method, query }) => method === "PUT" && !query.has("dry_run"));

  it("lists every definition that the service would reject, with its errors", async () => {
    const plan = await planOf(service, folder, {});
    showPlan(plan);
    expect(plan.invalid.map(({ named }) => named.key)).toEqual(["second"]);
    expect(output).toContain("form second: invalid\n  ! fields[0].type: Must be a known type.\n");
    expect(output).toContain("2 to create, 0 to change, 0 unchanged, 1 invalid.\n");
    expect(writes()).toEqual([]);
  });

  it("prints what the service says that a change would do to fields and items", async () => {
    const consequences = {
      outcome: "pending",
      hidden_fields: ["note", "lines.discount"],
      recalculated_items: 9900,
      reindexed_items: 1,
      checked_items: 120,
    };
    dryRun = () => ({ status: 200, body: { consequences } });
    showPlan(await planOf(service, folder, { forms: "first" }));
    expect(output.split("\n").slice(0, 6)).toEqual([
      "form first: new",
      "  + a (text)",
      "  = hidden fields: note, lines.discount",
      "  = 9,900 items recalculated",
      "  = 1 item reindexed",
      "  = 120 items checked before it takes effect",
    ]);
  });

  it("plans no change when the service says that nothing changes", async () => {
    const consequences = { ...created, outcome: "unchanged" };
    dryRun = () => ({ status: 200, body: { consequences } });
    const plan = await planOf(service, folder, {});
    expect([plan.steps, plan.unchanged]).toEqual([[], 2]);
  });

  it("plans a change that the service sees and the comparison does not", async () => {
    writeFileSync(join(folder, "forms/first.json"), JSON.stringify({ fields: [] }));
    stored = { status: 200, body: { schema_version: 3, fields: [] } };
    dryRun = () => ({ status: 200, body: { consequences: { ...created, outcome: "changed" } } });
    const { steps } = await planOf(service, folder, { forms: "first" });
    expect(steps.map(({ version, differences }) => [version, differences])).toEqual([
      [3, ["~ changed in a way that this version of edge-forms cannot show"]],
    ]);
  });

  it("applies nothing when the service would reject one of the definitions", async () => {
    await expect(apply(service, folder, { yes: true })).rejects.toThrow(
      "Nothing was applied. The service rejects form second.",
    );
    expect(writes()).toEqual([]);
  });

  it("applies all when the service accepts them", async () => {
    dryRun = ({ body }) => ({ status: 200, body: { ...body, consequences: created } });
    await apply(service, folder, { yes: true });
    expect(writes().map(({ path }) => path)).toEqual([
      "/api/v1/forms/first/schema",
      "/api/v1/forms/second/schema",
    ]);
  });

  it.each([
    [problem(403, "permission_required"), "the credential lacks the permission schema:write"],
    [
      problem(422, "invalid_input", {
        errors: [{ field: "dry_run", code: "unknown_parameter", reason: "Unknown parameter." }],
      }),
      "this service cannot validate without applying",
    ],
  ])("shows the differences and why they are not validated: %#", async (answer, reason) => {
    dryRun = () => answer;
    const plan = await planOf(service, folder, {});
    showPlan(plan);
    expect([plan.invalid, plan.steps.length]).toEqual([[], 2]);
    expect(output).toContain(`Not validated: ${reason}.\n`);
  });

  it("fails when the service cannot be reached during validation", async () => {
    dryRun = () => problem(500, "internal");
    const client = new EdgeForms({ url: service.url, token: "efp_x", retries: 0 });
    await expect(planOf({ ...service, client }, folder, {})).rejects.toThrow("internal");
  });

  it("creates apps before what refers to them, and apps that refer to each other first without fields", async () => {
    rmSync(join(folder, "forms/second.json"));
    mkdirSync(join(folder, "apps"));
    const reference = (key: string, app: string) => ({ key, type: "reference", app });
    const lines = { key: "lines", type: "line_items", fields: [reference("item", "products")] };
    const definitions = {
      "apps/a": {
        title_field: "name",
        fields: [{ key: "name", type: "text" }, reference("b", "b")],
      },
      "apps/b": { fields: [reference("a", "a"), reference("self", "b")] },
      "apps/products": { fields: [{ key: "name", type: "text" }] },
      "forms/first": { fields: [lines, reference("b", "b")] },
    };
    for (const [name, definition] of Object.entries(definitions))
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(definition));
    const known = () => new Set(writes().map(({ path }) => path.split("/").at(-2)));
    dryRun = ({ path, body }) => {
      const { fields } = body as { fields: { app?: string; fields?: { app?: string }[] }[] };
      const unknown = (app: string | undefined) => app !== undefined && !known().has(app);
      const pointers = fields.flatMap((field, index) => [
        ...(unknown(field.app) ? [`/fields/${index}/app`] : []),
        ...(field.fields ?? []).flatMap((column, place) =>
          unknown(column.app) ? [`/fields/${index}/fields/${place}/app`] : [],
        ),
      ]);
      if (pointers.length === 0) return { status: 200, body: { ...body, consequences: created } };
      const errors = pointers.map((pointer) => ({
        field: path,
        pointer,
        code: "invalid_definition",
        reason: "There is no such app.",
      }));
      return problem(422, "invalid_input", { errors });
    };
    await apply(service, folder, { yes: true });
    const sent = writes().map(({ path, body, headers }) => [
      path.split("/").at(-2),
      (body as { fields: unknown[] }).fields.length,
      headers["if-match"] ?? "new",
    ]);
    expect(sent).toEqual([
      ["a", 0, "new"],
      ["b", 2, "new"],
      ["a", 2, '"1"'],
      ["products", 1, "new"],
      ["first", 2, "new"],
    ]);
    // The fake service answers every write with version 1.
    for (const name of ["app a", "app b", "app products", "form first"])
      expect(output).toContain(`${name}: created, version 1.`);
    writeFileSync(
      join(folder, "apps/b.json"),
      JSON.stringify({ fields: [reference("x", "none")] }),
    );
    await expect(apply(service, folder, { yes: true })).rejects.toThrow("rejects app b");
  });
});
