import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { admin, adminRequest, client, makeForm } from "../support/service";
import { pathOf, runAndOfferUndo } from "./offered-undo";

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const edit = (value: string) => ({ act: "edit", data: JSON.stringify({ team: value }) });
const countWith = async (form: string, value: string) =>
  (await admin("GET", `/forms/${form}/items?f.team.eq=${value}`)).body.count.count;

async function store(form: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const operations = Array.from({ length: 100 }, () => ({ op: "create", data: { team: "a" } }));
    const batch = await owner.post(`/forms/${form}/submissions/batch`, { operations });
    expect(batch.status).toBe(200);
  }
}

describe("The undo of a bulk action", () => {
  it.each([
    ["an edit", edit("b")],
    ["a deletion", { act: "delete" }],
  ])("reverts all changes of %s although the member has changed others since", async (_, act) => {
    const form = await makeForm(owner, [{ key: "team", type: "text" }]);
    await store(form, 500);
    const values = await runAndOfferUndo(form, { ...act, all: "yes" });
    const items = `/forms/${form}/submissions`;
    for (let count = 0; count < 3; count += 1) {
      const { body } = await owner.post(items, { data: { team: "x" } });
      const later = { ...act, ids: [body.id], data: { team: "y" }, sure: "yes" };
      expect((await admin("POST", pathOf(form), later)).body.done).toBe(1);
    }
    const undone = await admin("POST", pathOf(form), values);
    expect([undone.status, undone.body]).toEqual([200, { done: 500, refused: 0 }]);
    expect(await countWith(form, "a")).toBe(500);
  });

  it("reverts edits of items with long texts, and of long texts", async () => {
    const form = await makeForm(owner, [
      { key: "team", type: "text", max_length: 100_000, searchable: false },
      { key: "text", type: "multiline_text", max_length: 100_000, searchable: false },
    ]);
    const long = "x".repeat(60_000);
    const items = `/forms/${form}/submissions`;
    const { body: item } = await owner.post(items, { data: { team: long, text: long } });
    const values = await runAndOfferUndo(form, { ...edit("b"), ids: [item.id] });
    const undone = await admin("POST", pathOf(form), values);
    expect([undone.status, undone.body]).toEqual([200, { done: 1, refused: 0 }]);
    expect((await owner.get(`/submissions/${item.id}`)).body.data).toEqual({
      team: long,
      text: long,
    });
  });

  it("restores no item that somebody restored and deleted again", async () => {
    const form = await makeForm(owner, [{ key: "team", type: "text" }]);
    await store(form, 100);
    const all = (await owner.get(`/forms/${form}/submissions?limit=2`)).body.items;
    const [first, second] = all.map(({ id }: Json) => id);
    const values = await runAndOfferUndo(form, { act: "delete", ids: [first, second] });
    const bin = `/forms/${form}/items/deleted`;
    expect((await admin("POST", `${bin}/${first}/restore`, {})).status).toBe(200);
    expect((await admin("POST", `/forms/${form}/items/${first}/delete`, {})).status).toBe(204);
    const undone = await admin("POST", pathOf(form), values);
    expect(undone.body).toEqual({ done: 1, refused: 1 });
    const statuses = [first, second].map(
      async (id) => (await owner.get(`/submissions/${id}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 200]);
  });

  it("reads only the changes since the bulk action", async () => {
    const form = await makeForm(owner, [{ key: "team", type: "text" }]);
    await store(form, 500);
    const [item] = (await owner.get(`/forms/${form}/submissions`)).body.items;
    const values = await runAndOfferUndo(form, { ...edit("b"), ids: [item.id] });
    const { fetch, counts } = counted();
    const response = await fetch(await adminRequest("POST", pathOf(form), values));
    expect(await response.json()).toEqual({ done: 1, refused: 0 });
    expect(counts.rowsRead).toBeLessThan(200);
  });
});
