import { env } from "cloudflare:workers";
import { type D1Migration } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { sweepStorage } from "../../src/schedule.ts";
import { fieldNumber, systemFieldIds } from "../../src/domain/data/values.ts";
import { findCollection } from "../../src/store/data/collections.ts";
import type { Client, Json } from "../support/client";
import { client, makeForm } from "../support/service";
import { dataHandle, dataDb } from "../support/databases";
import { background } from "../support/serve";

describe("Legacy index entries of ids, receipt numbers and creation times", () => {
  let integrator: Client;
  let form: string;
  let id: number;
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator, [{ key: "a", type: "text" }]);
    id = (await findCollection(dataHandle, "form", form))?.collection.id ?? 0;
    for (let n = 0; n < 5; n += 1) {
      await integrator.post(`/forms/${form}/submissions`, { data: { a: `a${n}` } });
    }
  });
  const legacyFields = (["id", "receiptNumber", "createdAt"] as const).map(
    (name) => systemFieldIds[name],
  );
  const entries = async () => {
    const { results } = await dataDb.prepare("select * from search_entry order by 1, 2, 3").all();
    return results;
  };
  const countMatches = async (conditions: Json[]) => {
    const { body } = await integrator.post(`/forms/${form}/submissions/search`, { conditions });
    return body.items.length;
  };

  it("are ignored by searches and deleted by the sweep, which keeps all other entries", async () => {
    const expected = await entries();
    const add = "insert into search_entry values (?1, ?2, ?3, null)";
    const firstNumber = id * 2 ** 32;
    await dataDb.batch(
      legacyFields.flatMap((field) => [
        dataDb.prepare(add).bind(fieldNumber(id, field), "gone", firstNumber + 1),
        dataDb
          .prepare(`insert into search_entry with recursive n(p) as (select 1 union all select p + 1 from n where p < 3000)
            select ?1, p, ?2 + p, null from n`)
          .bind(fieldNumber(id, field), firstNumber),
      ]),
    );
    expect(await countMatches([{ field: "$id", op: "eq", value: "gone" }])).toBe(0);
    expect(
      await countMatches([{ field: "$created_at", op: "lt", value: "2000-01-01T00:00:00Z" }]),
    ).toBe(0);
    expect(
      await countMatches([{ field: "$created_at", op: "gt", value: "2000-01-01T00:00:00Z" }]),
    ).toBe(5);
    const { MIGRATIONS = [] } = env as { MIGRATIONS?: D1Migration[] };
    const queries = MIGRATIONS.find(({ name }) => name.startsWith("0010"))?.queries ?? [];
    const listLegacyEntries =
      queries.find((query) => query.includes("INSERT INTO former_entry")) ?? "";
    await dataDb.prepare(listLegacyEntries).run();
    await sweepStorage(background(), Date.now());
    expect(await entries()).toEqual(expected);
    expect(await dataDb.prepare("select count(*) n from former_entry").first("n")).toBe(0);
  });
});
