import { beforeAll, describe, expect, it } from "vitest";
import { runBackfill } from "../../src/actions/backfill.ts";
import { findCollection } from "../../src/store/data/collections.ts";
import type { Client, Json } from "../support/client";
import { admin, client, makeForm } from "../support/service";
import { dataHandle, dataDb } from "../support/databases";
import { background } from "../support/serve";

const fields = [
  { key: "t", type: "text" },
  { key: "n", type: "number" },
  { key: "m", type: "multi_select", options: [{ value: "x" }, { value: "y" }] },
  { key: "l", type: "line_items", fields: [{ key: "s", type: "text" }] },
  { key: "c", type: "computed", formula: "n * 2", result: "number" },
];

interface Entry {
  field: number;
  value: string | number;
  item: number;
}

describe("Index check", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const entries = async (form: string): Promise<Entry[]> => {
    const id = (await findCollection(dataHandle, "form", form))?.collection.id ?? 0;
    const { results } = await dataDb
      .prepare(
        "SELECT field, value, item, folded FROM search_entry WHERE field BETWEEN ?1 AND ?2 ORDER BY 1, 2, 3",
      )
      .bind(id * 2 ** 32, (id + 1) * 2 ** 32)
      .all<Entry>();
    return results;
  };

  it("removes stale entries, adds missing ones and changes nothing else", async () => {
    const [form, otherForm] = [
      await makeForm(integrator, fields),
      await makeForm(integrator, fields),
    ];
    for (const key of [form, otherForm]) {
      for (let n = 0; n < 30; n += 1) {
        const data = {
          t: `Text ${n}`,
          n,
          m: n % 2 ? ["x", "y"] : ["x"],
          l: [{ s: `S${n % 7}` }, { s: "s" }],
        };
        await integrator.post(`/forms/${key}/submissions`, { data });
      }
    }
    const correct = await entries(form);
    const neighbour = await entries(otherForm);
    const [first] = correct;
    if (!first) throw new Error("There are no entries.");
    const textEntries = correct.filter(({ value }) => String(value).startsWith("Text"));
    const drop = dataDb.prepare(
      "DELETE FROM search_entry WHERE field = ?1 AND value = ?2 AND item = ?3",
    );
    const add = dataDb.prepare("INSERT OR IGNORE INTO search_entry VALUES (?1, ?2, ?3, NULL)");
    await dataDb.batch([
      ...textEntries.slice(3, 20).map(({ field, value, item }) => drop.bind(field, value, item)),
      ...textEntries.slice(0, 9).map(({ field, item }) => add.bind(field, "stale", item)),
      ...textEntries.slice(0, 9).map(({ field, item }) => add.bind(field + 1, 7.5, item)),
      add.bind(first.field, "of nobody", first.item + 1_000_000),
      add.bind(first.field + 100, "of no field", first.item),
    ]);
    expect(await entries(form)).not.toEqual(correct);
    expect((await admin("POST", `/forms/${form}/check-index`, {})).status).toBe(204);
    await runBackfill(background());
    expect(await entries(form)).toEqual(correct);
    expect(await entries(otherForm)).toEqual(neighbour);
    const audit = await admin("GET", `/audit?action=index.check&subject=form:${form}`);
    expect(audit.body.items).toHaveLength(1);
    const { body } = await integrator.get(`/forms/${form}/submissions`);
    expect(body.items.every((item: Json) => item.version === 1)).toBe(true);
  });

  it("completes during writes, and leaves a correct index", async () => {
    const form = await makeForm(integrator, fields);
    const ids: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      const { body } = await integrator.post(`/forms/${form}/submissions`, {
        data: { n, t: `t${n}` },
      });
      ids.push(body.id);
    }
    await Promise.all([
      admin("POST", `/forms/${form}/check-index`, {}),
      ...ids.map((id, n) =>
        integrator.patch(`/submissions/${id}`, { data: { n: n + 100, t: `u${n}` } }),
      ),
    ]);
    await runBackfill(background());
    for (let n = 0; n < 40; n += 13) {
      for (const condition of [
        { field: "n", op: "eq", value: n + 100 },
        { field: "t", op: "eq", value: `u${n}` },
        { field: "c", op: "eq", value: (n + 100) * 2 },
      ]) {
        const result = await integrator.post(`/forms/${form}/submissions/search`, {
          conditions: [condition],
        });
        expect(result.body.items.map((item: Json) => item.id)).toEqual([ids[n]]);
      }
    }
  });
});
