import { beforeAll, describe, expect, it } from "vitest";
import { dataDb } from "../support/databases";
import type { Client } from "../support/client";
import { client, makeForm } from "../support/service";

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

describe("During a recalculation", () => {
  it("a batch counts the former results of its items in its limit of steps, and names at most 10 items through a view", async () => {
    const lines = {
      key: "lines",
      type: "line_items",
      fields: [{ key: "n", type: "number", searchable: false }],
      max_rows: 500,
    };
    const sums = Array.from({ length: 30 }, (_, index) => ({
      key: `c${index}`,
      type: "computed",
      formula: `sum(lines.map(l, l.n * 1.000001 * l.n * 1.00001)) + ${index}`,
      result: "number",
      searchable: index === 0,
    }));
    const form = await makeForm(owner, [{ key: "team", type: "text" }, lines]);
    const items = `/forms/${form}/submissions`;
    const rows = Array.from({ length: 500 }, (_, n) => ({ n }));
    const create = { op: "create", data: { team: "ours", lines: rows } };
    const operations = Array.from({ length: 10 }, () => create);
    const ids: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const { body } = await owner.post(`${items}/batch`, { operations });
      ids.push(...body.results.map(({ id }: { id: string }) => id));
    }
    for (const event of ["update", "delete"])
      await dataDb
        .prepare(
          `create trigger hold_${event} before ${event} on indexing begin select raise(abort, 'held'); end`,
        )
        .run();
    const view = { key: "v", name: "V", conditions: [{ field: "c0", op: "gt", value: 1 }] };
    const fields = [{ key: "team", type: "text" }, lines, ...sums];
    const put = await owner.put(`/forms/${form}/schema`, { fields, views: [view] });
    expect(put.status).toBe(200);
    // The new state needs no steps, because it has no lines.
    const updates = ids.map((id) => ({ op: "update", id, data: { lines: [] } }));
    const answer = await owner.post(`${items}/batch`, { operations: updates });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("too_complex");
    const [first] = updates;
    const one = await owner.post(`${items}/batch`, { operations: [first] });
    expect(one.status).toBe(200);
    // The formulas decide which items a narrow credential sees.
    const permissions = ["submissions:read", "submissions:write"];
    const partner = await client({ permissions, resources: [`form:${form}/v`] });
    const missing = (count: number) =>
      updates.slice(0, count).map((update) => ({ ...update, id: `${update.id.slice(0, -1)}!` }));
    const named = [updates.slice(0, 11), missing(11), missing(10)];
    const statuses = [];
    for (const sent of named)
      statuses.push((await partner.post(`${items}/batch`, { operations: sent })).status);
    expect(statuses).toEqual([503, 503, 404]);
  });
});
