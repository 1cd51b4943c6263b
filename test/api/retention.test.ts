import { beforeAll, describe, expect, it } from "vitest";
import { eraseExpired } from "../../src/actions/retention.ts";
import type { Client } from "../support/client";
import { dataDb } from "../support/databases";
import { as, newMember } from "../support/members";
import { background } from "../support/serve";
import { copyItem } from "../support/copies";
import { admin, client, makeApp, makeForm } from "../support/service";

const fields = [{ key: "title", type: "text", unique: true }];
const day = 24 * 60 * 60 * 1000;

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

const create = async (form: string, title: string, status = "submitted"): Promise<string> => {
  const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { title } });
  if (status === "closed") await integrator.patch(`/submissions/${body.id}`, { status });
  return body.id;
};

/** Erases as the schedule will after this number of days. */
const eraseAfter = (days: number) =>
  eraseExpired({ ...background(), now: () => Date.now() + days * day });

const titles = async (form: string) => {
  const { body } = await integrator.get(`/forms/${form}/submissions`);
  return body.items.map(({ data }: { data: { title: string } }) => data.title);
};

const retain = (days: number, only: string) => ({ retain: { days, only } });

describe("retain", () => {
  it("is part of a form's definition: stored, shown, kept by a PUT without it and removed by null", async () => {
    const form = await makeForm(integrator, fields, retain(365, "closed"));
    const path = `/forms/${form}/schema`;
    expect((await integrator.get(path)).body.retain).toEqual({ days: 365, only: "closed" });
    const put = await integrator.put(path, { fields, name: "Renamed" });
    expect(put.body.retain).toEqual({ days: 365, only: "closed" });
    const { body } = await integrator.get(path);
    expect((await integrator.put(path, body)).body.schema_version).toBe(body.schema_version);
    const patch = await integrator.patch(path, retain(1, "all"));
    expect(patch.body.retain).toEqual({ days: 1, only: "all" });
    expect((await integrator.patch(path, { retain: null })).body.retain).toBeNull();
    expect(
      (await integrator.get(`/forms/${await makeForm(integrator)}/schema`)).body.retain,
    ).toBeNull();
  });

  it.each([
    [{ days: 0, only: "all" }, "retain.days"],
    [{ days: 36_501, only: "all" }, "retain.days"],
    [{ days: 1.5, only: "all" }, "retain.days"],
    [{ days: 1, only: "open" }, "retain.only"],
    [{ days: 1 }, "retain.only"],
    [{ days: 1, only: "all", from: "x" }, "retain.from"],
    [7, "retain"],
  ])("rejects %j", async (value, field) => {
    const form = await makeForm(integrator, fields);
    for (const send of [integrator.put, integrator.patch]) {
      const body = { ...(send === integrator.put ? { fields } : {}), retain: value };
      const answer = await send(`/forms/${form}/schema`, body);
      expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
    }
  });

  it("is not for apps", async () => {
    const app = await makeApp(integrator, fields);
    const answer = await integrator.patch(`/apps/${app}/schema`, retain(1, "all"));
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "retain"]);
  });

  it("may be set and shortened by owners and admins and their credentials, and lengthened by editors", async () => {
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/json`;
    const editor = await newMember("editor");
    const byEditor = as(editor.cookie);
    const current = async () => (await integrator.get(`/forms/${form}/schema`)).body;
    const editorsToken = await byEditor("POST", "/integrations", {
      kind: "token",
      name: "Editor",
      permissions: ["schema:read", "schema:write"],
      resources: "all",
      expires: "30d",
    });
    const byToken = new (integrator.constructor as new (token: string) => Client)(
      editorsToken.body.token,
    );
    const refused = await byToken.patch(`/forms/${form}/schema`, retain(365, "closed"));
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "retain"]);
    const dryRun = await byToken.patch(`/forms/${form}/schema?dry_run=true`, retain(365, "all"));
    expect(dryRun.status).toBe(422);
    const document = { ...(await current()), ...retain(365, "closed") };
    expect((await byEditor("POST", path, document)).status).toBe(403);
    expect((await admin("POST", path, document)).status).toBe(200);
    for (const [rule, status] of [
      [retain(364, "closed"), 422],
      [retain(365, "all"), 422],
      [retain(366, "closed"), 200],
      [{ retain: null }, 200],
    ] as const) {
      expect((await byToken.patch(`/forms/${form}/schema`, rule)).status).toBe(status);
    }
    const byAdmin = as((await newMember("admin")).cookie);
    const again = { ...(await current()), ...retain(30, "all") };
    expect((await byAdmin("POST", path, again)).status).toBe(200);
  });

  it("applies 7 days after it was set, and erases only what is older", async () => {
    const form = await makeForm(integrator, fields);
    await create(form, "old");
    await integrator.patch(`/forms/${form}/schema`, retain(3, "all"));
    await eraseAfter(6.9);
    expect(await titles(form)).toEqual(["old"]);
    await dataDb
      .prepare(
        "UPDATE item SET created_at = created_at - ? WHERE collection_id = (SELECT id FROM collection WHERE key = ?)",
      )
      .bind(10 * day, form)
      .run();
    await create(form, "new");
    await dataDb
      .prepare(
        "UPDATE collection SET retain = json_set(retain, '$.appliesFrom', 0), revision = revision + 1 WHERE key = ?",
      )
      .bind(form)
      .run();
    await eraseAfter(2.9);
    expect(await titles(form)).toEqual(["new"]);
    const { body } = await integrator.get(`/forms/${form}/changes?all=true`);
    expect(body.items.at(-1)).toMatchObject({ type: "deleted", by: "system" });
    await eraseAfter(3.1);
    expect(await titles(form)).toEqual([]);
    expect(
      (await integrator.post(`/forms/${form}/submissions`, { data: { title: "old" } })).status,
    ).toBe(201);
  });

  it("erases only closed submissions where it says so", async () => {
    const form = await makeForm(integrator, fields, retain(1, "closed"));
    await create(form, "open");
    await create(form, "closed", "closed");
    const reopened = await create(form, "reopened", "closed");
    await admin("POST", `/forms/${form}/items/${reopened}/reopen`, {});
    await eraseAfter(8);
    expect(await titles(form)).toEqual(["open", "reopened"]);
  });

  it("erases a long list in steps, form by form", async () => {
    const [form, other] = [
      await makeForm(integrator, fields, retain(1, "all")),
      await makeForm(integrator, fields, retain(1, "all")),
    ];
    const operations = (from: number) =>
      Array.from({ length: 100 }, (_, index) => ({
        op: "create",
        data: { title: `title ${from + index}` },
      }));
    for (const from of [0, 100, 200])
      await integrator.post(`/forms/${form}/submissions/batch`, { operations: operations(from) });
    await create(other, "other");
    await eraseAfter(8);
    expect([await titles(form), await titles(other)]).toEqual([[], []]);
    const { results } = await dataDb
      .prepare(
        "SELECT live FROM tally WHERE collection_id IN (SELECT id FROM collection WHERE key IN (?, ?))",
      )
      .bind(form, other)
      .all();
    expect(results).toEqual([{ live: 0 }, { live: 0 }]);
  });

  it("erases submissions with large texts over several runs if many views search these texts", async () => {
    const views = Array.from({ length: 10 }, (_, view) => ({
      key: `v${view}`,
      name: "V",
      conditions: [
        {
          any: Array.from({ length: 40 }, (_x, word) => ({
            field: "text",
            op: "contains",
            value: `zq${view * 40 + word}`,
          })),
        },
      ],
    }));
    const text = { key: "text", type: "multiline_text", max_length: 100_000 };
    const form = await makeForm(integrator, [text], { ...retain(1, "all"), views });
    const { body } = await integrator.post(`/forms/${form}/submissions`, {
      data: { text: "a ".repeat(45_000) },
    });
    await copyItem(body.id, 59);
    const live = async () => {
      const row = await dataDb
        .prepare(
          "SELECT live FROM tally WHERE collection_id = (SELECT id FROM collection WHERE key = ?)",
        )
        .bind(form)
        .first<{ live: number }>();
      return row?.live ?? 0;
    };
    await eraseAfter(8);
    const rest = await live();
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThan(60);
    await eraseAfter(8);
    await eraseAfter(8);
    expect(await live()).toBe(0);
  });

  it("does not erase what was reopened, or a form whose rule was removed, at the same time", async () => {
    const form = await makeForm(integrator, fields, retain(1, "closed"));
    const ids = [];
    for (let index = 0; index < 5; index += 1) ids.push(await create(form, `t${index}`, "closed"));
    const reopen = (id: string) => admin("POST", `/forms/${form}/items/${id}/reopen`, {});
    const [, ...answers] = await Promise.all([eraseAfter(8), ...ids.map(reopen)]);
    const reopenedCount = answers.filter(({ status }) => status === 200).length;
    await eraseAfter(8);
    expect(await titles(form)).toHaveLength(reopenedCount);
    const other = await makeForm(integrator, fields, retain(1, "all"));
    await create(other, "kept");
    await integrator.patch(`/forms/${other}/schema`, { retain: null });
    await eraseAfter(8);
    expect(await titles(other)).toEqual(["kept"]);
  });
});

describe("The administration area", () => {
  it("saves retain with the settings, and the overview says how many submissions go next", async () => {
    const form = await makeForm(integrator, fields);
    await create(form, "a");
    await create(form, "b");
    const settings = { version: 1, name: "Visits", retain_days: "3", retain_only: "all" };
    const saved = await admin("POST", `/forms/${form}/settings`, settings);
    expect([saved.status, saved.body.retain]).toEqual([200, { days: 3, only: "all" }]);
    const overview = await admin("GET", "");
    expect(overview.body.retaining).toContainEqual({ key: form, name: "Visits", count: 2 });
    const page = await admin("GET", "", undefined, { Accept: "text/html" });
    expect(page.text).toMatch(
      /Visits<\/bdi><\/strong>” +permanently deletes 2 submissions within 7 days/,
    );
    const wrong = { version: 2, retain_days: "0", retain_only: "all" };
    const html = { Accept: "text/html", "Content-Type": "application/x-www-form-urlencoded" };
    const raw = new URLSearchParams({ ...wrong, version: "2" }).toString();
    const refused = await admin("POST", `/forms/${form}/settings`, undefined, html, raw);
    expect([refused.status, refused.text.includes("f-retain_days")]).toEqual([422, true]);
    const removed = { version: 2, retain_days: "" };
    expect((await admin("POST", `/forms/${form}/settings`, removed)).body.retain).toBeNull();
  });
});
