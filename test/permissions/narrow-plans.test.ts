import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Answer, Client } from "../support/client";
import { pdf, putContent, sha256 } from "../support/files";
import { client, makeForm } from "../support/service";
import { randomCases } from "../support/size";
import type { Kind } from "./narrow-world";
import { comparable, createTwin, pages, send, type Step, type Twin } from "./twins";

/**
 * Random plans: a partner does the same with two collections that look the same through its views, while the owner also
 * changes what one of them hides. All responses must be the same.
 */

let owner: Client;
beforeAll(async () => {
  owner = await client();
  // Cursors contain the number of an item, which has one more digit from the 24th collection on, hidden items or not.
  for (let count = 0; count < 24; count += 1) await makeForm(owner, []);
});

const item = fc.nat(5).map((index) => `ITEM${index}`);
const title = fc.constantFrom("i1", "o1", "new", "");
const shownData = fc.record(
  {
    title,
    code: fc.constantFrom("c0", "c1", "c7", "c8"),
    team: fc.constantFrom("ours", "ours", "ours", "theirs"),
    amount: fc.oneof(fc.nat(105), fc.constantFrom(0, { $increment: 1 })),
    day: fc.constantFrom("2026-01-01", "2026-02-01", "never"),
    tags: fc.constantFrom(["x"], ["x", "y"], []),
    lines: fc.constantFrom([{ qty: 7 }], [{ qty: 0 }], []),
    alpha: fc.constantFrom("s1"),
  },
  { requiredKeys: [] },
);
const newData = shownData.map((data) => ({ title: "new", team: "ours", ...data }));
const field = fc.constantFrom("title", "code", "amount", "day", "tags", "inverse", "beta");
const condition = fc.oneof(
  fc.record({ field, op: fc.constantFrom("eq", "ne", "gt", "lte"), value: fc.nat(105) }),
  fc.record({ field, op: fc.constantFrom("eq", "contains", "starts_with"), value: title }),
  fc.record({ field, op: fc.constant("is_empty"), value: fc.boolean() }),
);
const conditions = fc.array(condition, { maxLength: 2 });
const sort = fc.array(fc.record({ field, direction: fc.constantFrom("asc", "desc") }), {
  maxLength: 2,
});
const limit = fc.integer({ min: 1, max: 4 });

/** Creates an item, whose ID later steps can use. */
const create =
  (data: object, headers: Record<string, string>): Step =>
  async (twin) => {
    const answer = await send("POST", "*", { data }, headers)(twin);
    const { id } = answer.body;
    if (answer.status === 201 && !twin.ids.includes(id)) twin.ids.push(id);
    return answer;
  };

/** Uploads a file, and attaches it to an item. */
const attach =
  (name: string): Step =>
  async (twin) => {
    const bytes = pdf();
    const file = { field: "docs", name: "a.pdf", bytes: bytes.length, sha256: sha256(bytes) };
    const added = await send("POST", "/files", { collection: "KIND:KEY", ...file })(twin);
    const { id } = added.body;
    await putContent(twin.partner, id, bytes);
    const patched = await send("PATCH", `/~/${name}`, { data: { docs: [id] } })(twin);
    const read = await twin.partner.get(`/files/${id}`);
    return { ...patched, text: [added, patched, read].map(({ text }) => text).join("\n") };
  };

const byPartner: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(newData, fc.constantFrom("", "k1", "k2")).map(([data, key]): Step => {
    return create(data, key === "" ? {} : { "Idempotency-Key": key });
  }),
  fc
    .tuple(item, shownData, fc.constantFrom({}, { "If-Match": '"1"' }))
    .map(([name, data, headers]) => send("PATCH", `/~/${name}`, { data }, headers)),
  item.map((name) => send("GET", `/~/${name}`)),
  item.map((name) => send("DELETE", `/~/${name}`)),
  item.map(attach),
  fc.record({ conditions, sort, limit }).map((body) => send("POST", "*/search", body)),
  fc
    .tuple(conditions, field, fc.constantFrom("count_distinct", "max", "sum"))
    .map(([chosen, key, op]) =>
      send("POST", "*/aggregate", {
        conditions: chosen,
        metrics: { n: { op: "count" }, m: { op, field: "amount" } },
        group_by: [{ field: key }],
      }),
    ),
  limit.map((count) => pages(`*?limit=${count}`)),
  limit.map((count) => pages(`BASE/changes?limit=${count}`)),
  limit.map((count) => pages(`BASE/changes?all=true&limit=${count}`)),
  fc
    .constantFrom("text/csv", "application/x-ndjson", "text/csv;rows=lines")
    .map((Accept) => send("GET", "*", undefined, { Accept })),
  fc.tuple(newData, item, shownData).map(([data, id, changed]) =>
    send("POST", "*/batch", {
      operations: [
        { op: "upsert", by: "code", data: { code: "c9", ...data } },
        { op: "update", id, data: changed },
      ],
    }),
  ),
);

type Act = (twin: Twin) => Promise<unknown>;

const byOwner: fc.Arbitrary<Act> = fc
  .tuple(item, fc.constantFrom({ team: "theirs" }, { team: "ours" }, { amount: 5 }))
  .map(
    ([name, data]) =>
      (twin) =>
        send("PATCH", `/~/${name}`, { data })({ ...twin, partner: owner }),
  );

const unseen = { title: "o1", team: "theirs", amount: 101, day: "2026-01-01", lines: [{ qty: 7 }] };

/** Creates an item outside the view, and perhaps changes or deletes it. */
const outOfSight: fc.Arbitrary<Act> = fc
  .constantFrom("create", "update", "delete")
  .map((op) => async ({ kind, items }) => {
    const made = await owner.post(items, { data: unseen });
    const path = kind === "app" ? `${items}/${made.body.id}` : `/submissions/${made.body.id}`;
    if (op === "update") await owner.patch(path, { data: { amount: 7, alpha: "s" } });
    if (op === "delete") await owner.delete(path);
  });

/** A field that the view does not show comes and gets an index, or loses it. */
const redefine: fc.Arbitrary<Act> = fc.boolean().map((searchable) => async ({ kind, key }) => {
  const path = `/${kind}s/${key}/schema`;
  const schema = (await owner.get(path)).body;
  const others = schema.fields.filter((each: { key: string }) => each.key !== "gamma");
  const gamma = { key: "gamma", type: "text", searchable };
  const changed = await owner.put(path, { ...schema, fields: [...others, gamma] });
  if (changed.status !== 200) throw new Error(changed.text);
});

type Part = { partner: Step } | { owner: Act } | { hidden: Act };
const plan: fc.Arbitrary<Part[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: byPartner.map((partner) => ({ partner })) },
    { weight: 1, arbitrary: byOwner.map((act) => ({ owner: act })) },
    { weight: 3, arbitrary: fc.oneof(outOfSight, redefine).map((hidden) => ({ hidden })) },
  ),
  { minLength: 10, maxLength: 25 },
);

let runs = 0;

describe.each(["form", "app"] as Kind[])("Two %ss that differ only behind a view", (kind) => {
  it("return the same responses to every plan of a partner", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (parts) => {
        runs += 1;
        const name = `plan${1000 + runs}`;
        const poor = await createTwin(owner, kind, false, name);
        const rich = await createTwin(owner, kind, true, name);
        for (const part of parts) {
          if ("hidden" in part) await part.hidden(rich);
          if ("owner" in part) await Promise.all([part.owner(poor), part.owner(rich)]);
          if (!("partner" in part)) continue;
          const answers: Answer[] = [await part.partner(rich), await part.partner(poor)];
          const [ofRich, ofPoor] = answers.map((answer, index) =>
            comparable(answer, index === 0 ? rich : poor),
          );
          expect(ofRich).toBe(ofPoor);
        }
      }),
      // Each run takes four of the 100 credentials that a member may have.
      { numRuns: randomCases(2, 12), endOnFailure: true },
    );
  }, 240_000);
});
