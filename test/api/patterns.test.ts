import { describe, expect, it } from "vitest";
import { client, freshKey } from "../support/service";

/** Fields whose patterns have these classes, some in each. */
const fieldsOf = (classes: readonly string[], each: number) =>
  Array.from({ length: Math.ceil(classes.length / each) }, (_, i) => ({
    key: `f${i}`,
    type: "text",
    searchable: false,
    pattern: `^${classes.slice(i * each, (i + 1) * each).join("")}$`,
  }));

const classes = (count: number) =>
  Array.from({ length: count }, (_, i) => `[\\p{L}${String.fromCodePoint(0x4e00 + i)}]`);

describe("The patterns of a definition", () => {
  it("have at most 500 different classes of characters, since each is made anew", async () => {
    const by = await client();
    const put = (fields: object[]) => by.put(`/forms/${freshKey("classes")}/schema`, { fields });
    const refused = await put(fieldsOf(classes(501), 100));
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [expect.objectContaining({ reason: expect.stringMatching(/501 different classes.*500/) })],
    ]);
    expect((await put(fieldsOf(classes(500), 100))).status).toBe(201);
  });

  it("share those that they have in common", async () => {
    const by = await client();
    const form = freshKey("classes");
    const some = classes(60);
    const same = Array.from({ length: 10 }, () => some).flat();
    const fields = fieldsOf(same, 60);
    expect((await by.put(`/forms/${form}/schema`, { fields })).status).toBe(201);
    const data = Object.fromEntries(fields.map(({ key }) => [key, "é".repeat(60)]));
    expect((await by.post(`/forms/${form}/submissions/validate`, { data })).status).toBe(200);
    const wrong = { ...data, f3: "é".repeat(59) + "1" };
    const { body } = await by.post(`/forms/${form}/submissions/validate`, { data: wrong });
    expect(body.errors.map((each: { field: string }) => each.field)).toEqual(["f3"]);
  });
});
