import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { copyItem } from "../support/copies";
import { counted } from "../support/counting";
import { dataDb } from "../support/databases";
import { client, makeApp, makeForm } from "../support/service";
import { fullSize } from "../support/size";
import {
  baseFields,
  big,
  createdItem,
  decisions,
  letters,
  longText,
  otherThresholds,
  partnerRights,
  patchedItem,
  viewOfOurs,
  type Probe,
} from "./thresholds";

/** The limits of pages, searches and aggregates, at which a narrow credential could measure what it does not see. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const fields = [
  ...baseFields,
  ...letters.map((key) => ({ key, ...longText })),
  { key: "decision", ...longText },
];

/** A form for each hidden text, whose first item has it. */
async function follow(conditions?: object[]) {
  const view = { ...viewOfOurs(letters), ...(conditions ? { conditions } : {}) };
  const form = await makeForm(owner, fields, { views: [view] });
  const resources = [`form:${form}/ours`];
  const partner = await client({ permissions: partnerRights, resources });
  return { items: `/forms/${form}/submissions`, partner };
}

const own = (count: number) => Object.fromEntries(letters.slice(0, count).map((key) => [key, big]));

/** As long conditions as a search may have, which no item meets. */
const costly = Array.from({ length: 49 }, (_, index) => ({
  field: "title",
  op: "contains",
  value: `${index}`.padEnd(1000, "t"),
}));

describe("A narrow credential meets the limit", () => {
  it("of a page at the same size whatever its items hide", async () => {
    const make = async (decision: string): Promise<Probe> => {
      const { items, partner } = await follow();
      let last = "";
      for (let index = 0; index < 5; index += 1)
        last = (await createdItem(owner, items, { team: "ours", decision })).id;
      for (const { id } of (await partner.get(items)).body.items)
        await patchedItem(partner, id, own(8));
      await createdItem(partner, items, { team: "ours", title: "end" });
      return async (size) => {
        await patchedItem(partner, last, { h: "y".repeat(size) });
        return (await partner.get(items)).body.items.length < 6;
      };
    };
    const probes = await Promise.all(decisions.map(make));
    expect(await otherThresholds([98_000, 99_999], probes)).toEqual([]);
  });

  it("of an item that conditions examine at the same size whatever the item hides", async () => {
    const make = async (decision: string): Promise<Probe> => {
      const { items, partner } = await follow();
      const { id } = await createdItem(owner, items, { team: "ours", decision, a: big });
      return async (size) => {
        await patchedItem(partner, id, { b: "y".repeat(size) });
        const answer = await partner.post(`${items}/search`, { conditions: costly });
        if (answer.status === 200) return false;
        expect(answer.body.errors[0].code).toBe("too_complex");
        return true;
      };
    };
    const probes = await Promise.all(decisions.map(make));
    expect(await otherThresholds([10_000, 40_000], probes)).toEqual([]);
  });

  fullSize.it("of what a search examines at the same size whatever its items hide", async () => {
    const make = async (decision: string): Promise<Probe> => {
      const { items, partner } = await follow();
      const ids: string[] = [];
      // The first statement examines one of them, and each of four further ones examines four.
      for (const title of "abcdefghijklmnopq") {
        const data = { team: "ours", decision, title, a: big.slice(0, 20_000) };
        ids.push((await createdItem(owner, items, data)).id);
      }
      return async (size) => {
        await patchedItem(partner, ids[1] ?? "", { b: "y".repeat(size) });
        const search = { conditions: costly, sort: [{ field: "title" }] };
        const answer = await partner.post(`${items}/search`, search);
        expect(answer.status).toBe(200);
        return answer.body.links.next !== null;
      };
    };
    const probes = await Promise.all(decisions.map(make));
    expect(await otherThresholds([0, 10_000], probes)).toEqual([]);
  });

  fullSize.it(
    "of an aggregate at the same size whatever its items hide",
    async () => {
      const make = async (decision: string): Promise<Probe> => {
        const { items, partner } = await follow([{ field: "$status", op: "ne", value: "closed" }]);
        const { id } = await createdItem(owner, items, { team: "ours", decision });
        await patchedItem(owner, id, own(9));
        await copyItem(id, 221);
        await createdItem(owner, items, { team: "ours", ...own(2) });
        return async (size) => {
          await patchedItem(partner, id, { i: "y".repeat(size) });
          const body = { metrics: { n: { op: "count" } }, group_by: [{ field: "title" }] };
          const answer = await partner.post(`${items}/aggregate`, body);
          return answer.status === 422;
        };
      };
      const probes = await Promise.all(decisions.map(make));
      expect(await otherThresholds([80_000, 90_000], probes)).toEqual([]);
    },
    240_000,
  );
});

describe("A page with expand through two views", () => {
  const ours = { field: "team", op: "eq", value: "ours" };
  const views = (shown: string[]) => [{ key: "v", name: "V", conditions: [ours], fields: shown }];
  const team = { key: "team", type: "text" };

  /** A form whose items refer to copies of a hidden record, `perItem` each, and then to a record that the view shows. */
  async function referTo(hidden: object, items: number, perItem: number) {
    const filler = letters.map((key) => ({ key, ...longText }));
    const app = await makeApp(owner, [team, ...filler], { views: views(["team"]) });
    const product = { key: "product", type: "reference", app };
    const lines = { key: "lines", type: "line_items", fields: [product] };
    const form = await makeForm(owner, [team, lines], { views: views(["team", "lines"]) });
    const records = `/apps/${app}/records`;
    const shownId = (await owner.post(records, { data: { team: "ours" } })).body.id;
    const { id } = (await owner.post(records, { data: { team: "theirs", ...hidden } })).body;
    await copyItem(id, items * perItem);
    const submissions = `/forms/${form}/submissions`;
    for (let item = 0; item < items; item += 1) {
      const sent = { data: { team: "ours", lines: [{ product: shownId }] } };
      const { body } = await owner.post(submissions, sent);
      const stored = dataDb.prepare("select data from item where id = ?").bind(body.id);
      const { data = "" } = (await stored.first<{ data: string }>()) ?? {};
      const [row = ""] = /\{[^{}]*\}/.exec(data) ?? [];
      const rows = Array.from({ length: perItem }, (_, index) =>
        row.replace(shownId, `${id}Z${item * perItem + index + 1}`),
      );
      await dataDb
        .prepare("update item set data = ? where id = ?")
        .bind(data.replace(row, [...rows, row].join()), body.id)
        .run();
    }
    const permissions = ["submissions:read", "records:read"];
    const partner = await client({ permissions, resources: [`form:${form}/v`, `app:${app}/v`] });
    return { partner, path: `${submissions}?expand=lines.product`, shownId };
  }

  it("examines at most 1,000 references", async () => {
    const { partner, path, shownId } = await referTo({}, 4, 499);
    const page = await partner.get(path);
    expect([page.status, page.body.items.length]).toEqual([200, 2]);
    expect(Object.keys(page.body.included)).toEqual([shownId]);
    const rest = await partner.get(page.body.links.next);
    expect(rest.body.items).toHaveLength(2);
    expect(Object.keys(rest.body.included)).toEqual([shownId]);
  });

  it("reads no more rows for 12,000 hidden references than for 3,000", async () => {
    const read = async (items: number) => {
      const { fetch, counts, reset } = counted();
      const { partner, path } = await referTo({}, items, 499);
      const reader = partner.through(fetch);
      // The isolate caches the definitions.
      await reader.get(path);
      reset();
      const page = await reader.get(path);
      expect([page.status, page.body.items.length]).toEqual([200, 2]);
      expect(counts.d1).toBe(2);
      return counts.rowsRead;
    };
    const few = await read(6);
    expect(few).toBeLessThanOrEqual(12_000);
    // The page itself has 18 further items.
    expect((await read(24)) - few).toBeLessThanOrEqual(18 * 10);
  });

  it("ends before it examines too many bytes of hidden records", async () => {
    const { partner, path } = await referTo(own(8), 4, 20);
    const page = await partner.get(path);
    expect([page.status, page.body.items.length]).toEqual([200, 1]);
    expect(page.body.links.next).not.toBe(null);
  });
});

describe("A search through a view that continues on its page", () => {
  it("returns as many items, however large the largest hidden item is", async () => {
    const matchingCount = async (hiddenLength: number) => {
      const { partner, items } = await follow([{ field: "team", op: "ne", value: "theirs" }]);
      const decision = "h".repeat(hiddenLength);
      await createdItem(owner, items, { team: "theirs", decision });
      const create = async (data: object): Promise<string> =>
        (await createdItem(partner, items, { team: "ours", ...data })).id;
      const large = { title: "x", a: "b".repeat(38_000) };
      await copyItem(await create(large), 99);
      await copyItem(await create({ title: "skip" }), 10_100);
      await copyItem(await create(large), 99);
      const conditions = [{ field: "title", op: "ne", value: "skip" }];
      const page = await partner.post(`${items}/search`, { conditions, limit: 200 });
      return [page.status, page.body.items.length];
    };
    expect(await matchingCount(42_000)).toEqual(await matchingCount(39_000));
  });
});
