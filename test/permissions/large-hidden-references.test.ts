import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const long = { type: "multiline_text", max_length: 100_000, searchable: false };
const fields = [
  { key: "name", type: "text" },
  { key: "team", type: "text", max_length: 100 },
  ...["a", "b", "c"].map((key) => ({ key, ...long })),
];
const texts = Array.from({ length: 47 }, (_, index) => `x${index}`.padEnd(40, "x"));
const view = {
  key: "v",
  name: "V",
  conditions: [
    { any: [...texts, "ours"].map((value) => ({ field: "team", op: "contains", value })) },
  ],
};
/** Nearly too large for the view. */
const large = Object.fromEntries(["a", "b", "c"].map((key) => [key, "語".repeat(8500)]));
/** Examining this many records with one such text nearly takes the limit of a write. */
const maxOwn = 54;

describe("A write with new references to records that the caller sees through a view", () => {
  it("returns unknown_reference for a large hidden record, as for a missing one", async () => {
    const app = await makeApp(owner, fields, { views: [view], receipt_prefix: "PEO-" });
    const records = `/apps/${app}/records`;
    const create = async (data: object) => {
      const answer = await owner.post(records, { data });
      expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.anything()]);
      return answer.body;
    };
    const own: string[] = [];
    for (let index = 0; index < maxOwn; index += 1)
      own.push((await create({ name: "own", team: "ours", a: large["a"] })).id);
    const hidden = await create({ name: "hidden", team: "theirs", ...large });
    const form = await makeForm(owner, [
      { key: "lines", type: "line_items", fields: [{ key: "person", type: "reference", app }] },
    ]);
    const partner = await client({
      permissions: ["submissions:write", "records:read"],
      resources: [`form:${form}`, `app:${app}/v`],
    });
    const send = async (count: number, person: string) => {
      const lines = [...own.slice(0, count), person].map((each) => ({ person: each }));
      const answer = await partner.post(`/forms/${form}/submissions`, { data: { lines } });
      return [answer.status, answer.body.errors?.map(({ code }: { code: string }) => code)];
    };
    const seen = own.map((person) => ({ person }));
    const stored = await partner.post(`/forms/${form}/submissions`, { data: { lines: seen } });
    expect(stored.status).toBe(201);
    const answers = [];
    for (const count of [0, 10, maxOwn - 1, maxOwn])
      answers.push([
        await send(count, hidden.id),
        await send(count, "rec_01KAHV3M4E7XQ2R5T8W9YZB6CD"),
        await send(count, hidden.receipt_number),
        await send(count, "PEO-000099"),
      ]);
    expect(answers[0]?.[0]).toEqual([422, ["unknown_reference"]]);
    for (const [ofHidden, ofMissing, byReceipt, ofMissingReceipt] of answers) {
      expect(ofHidden).toEqual(ofMissing);
      expect(byReceipt).toEqual(ofMissingReceipt);
    }
  });
});
