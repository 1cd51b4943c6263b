import { beforeAll, describe, expect, it } from "vitest";
import { eraseDueItems } from "../../src/store/data/erase-deleted-items.ts";
import type { Client } from "../support/client";
import { counted } from "../support/counting";
import { dataDb } from "../support/databases";
import { background } from "../support/serve";
import { admin, adminRequest, client, makeForm } from "../support/service";

const items = (form: string) => `/forms/${form}/items`;
let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

describe("Deleted items of 1 MB", () => {
  /** Creates items and deletes them. Returns the form and the ID of the request that deleted them. */
  async function deleteLarge(count: number): Promise<{ form: string; request: string }> {
    const form = await makeForm(integrator, [
      { key: "title", type: "text", max_length: 100_000, searchable: false },
    ]);
    const operations = Array.from({ length: count }, (_, index) => ({
      op: "create",
      data: { title: `t${index}` },
    }));
    await integrator.post(`/forms/${form}/submissions/batch`, { operations });
    const all = { act: "delete", all: "yes", sure: "yes" };
    const { headers } = await admin("POST", `${items(form)}/selected`, all);
    await dataDb
      .prepare(
        `UPDATE deleted_item SET data = json_set(data, '$."1"', hex(zeroblob(500000)))
          WHERE collection_id = (SELECT id FROM collection WHERE key = ?)`,
      )
      .bind(form)
      .run();
    return { form, request: headers.get("X-Request-Id") ?? "" };
  }

  it("are listed without their data, and 100 are restored with fewer queries than D1 allows", async () => {
    const { form, request } = await deleteLarge(100);
    const { fetch, counts, statements, reset } = counted();
    const send = async (method: string, path: string, body?: object) => {
      reset();
      const response = await fetch(await adminRequest(method, path, body));
      return { status: response.status, text: await response.text() };
    };
    const list = await send("GET", `${items(form)}/deleted`);
    expect([list.status, list.text.length < 200_000]).toEqual([200, true]);
    expect(counts.d1).toBeLessThanOrEqual(4);
    const undo = { act: "undo", of: "delete", request };
    const undone = await send("POST", `${items(form)}/selected`, undo);
    expect(undone.text).toBe(JSON.stringify({ done: 100, refused: 0 }));
    expect(statements.reduce((sum, each) => sum + each, 0)).toBeLessThan(1000);
    expect(counts.rowsWritten).toBeLessThan(1000);
  }, 60_000);

  it("are erased in steps of about 20 MB", async () => {
    await deleteLarge(50);
    const later = Date.now() + 8 * 24 * 60 * 60 * 1000;
    let steps = 0;
    for (const db of background().databases.dataDatabases())
      while (await eraseDueItems(db, later)) steps += 1;
    expect(steps).toBeGreaterThanOrEqual(3);
  });
});
