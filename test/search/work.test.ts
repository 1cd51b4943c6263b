import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { client, makeForm } from "../support/service";

const options = Array.from({ length: 101 }, (_, n) => ({ value: `o${n}` }));
const all = options.slice(0, 100).map(({ value }) => value);

describe("What a search may do to an item with long lists in rows", () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
  });

  it("has_all goes through a list once, however many values it wants", async () => {
    const marks = { key: "marks", type: "multi_select", options };
    const form = await makeForm(integrator, [{ key: "l", type: "line_items", fields: [marks] }]);
    const rows = Array.from({ length: 20 }, () => ({ marks: all }));
    await integrator.post(`/forms/${form}/submissions`, { data: { l: rows } });
    const wanted = [...all.slice(1), "o100"];
    const value: Json[] = [{ field: "marks", op: "has_all", value: wanted }];
    const search = (op: string) =>
      integrator.post(`/forms/${form}/submissions/search`, {
        conditions: [{ field: "l", op, value }],
      });
    await search("any");
    reset();
    expect((await search("any")).body.items).toHaveLength(0);
    expect(counts.rowsRead).toBeLessThanOrEqual(5_000);
    expect((await search("none")).body.items).toHaveLength(1);
  });
});
