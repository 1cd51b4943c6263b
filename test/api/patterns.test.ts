import { describe, expect, it } from "vitest";
import { client, freshKey } from "../support/service";

/** Fields whose patterns share out these character classes, so many per field. */
const fieldsOf = (classes: readonly string[], perField: number) =>
  Array.from({ length: Math.ceil(classes.length / perField) }, (_, i) => ({
    key: `f${i}`,
    type: "text",
    searchable: false,
    pattern: `^${classes.slice(i * perField, (i + 1) * perField).join("")}$`,
  }));

const classes = (count: number) =>
  Array.from({ length: count }, (_, i) => `[\\p{L}${String.fromCodePoint(0x4e00 + i)}]`);

describe("The patterns of a definition", () => {
  it("return 422 with more than 500 different character classes, because each is compiled", async () => {
    const integrator = await client();
    const put = (fields: object[]) =>
      integrator.put(`/forms/${freshKey("classes")}/schema`, { fields });
    const rejection = await put(fieldsOf(classes(501), 100));
    expect([rejection.status, rejection.body.errors]).toEqual([
      422,
      [
        expect.objectContaining({
          reason: expect.stringMatching(/at most 500 different character classes, not 501/),
        }),
      ],
    ]);
    expect((await put(fieldsOf(classes(500), 100))).status).toBe(201);
  });

  it("share the character classes that they have in common", async () => {
    const integrator = await client();
    const form = freshKey("classes");
    const sharedClasses = classes(60);
    const repeatedClasses = Array.from({ length: 10 }, () => sharedClasses).flat();
    const fields = fieldsOf(repeatedClasses, 60);
    expect((await integrator.put(`/forms/${form}/schema`, { fields })).status).toBe(201);
    const data = Object.fromEntries(fields.map(({ key }) => [key, "é".repeat(60)]));
    expect((await integrator.post(`/forms/${form}/submissions/validate`, { data })).status).toBe(
      200,
    );
    const invalid = { ...data, f3: "é".repeat(59) + "1" };
    const { body } = await integrator.post(`/forms/${form}/submissions/validate`, {
      data: invalid,
    });
    expect(body.errors.map((error: { field: string }) => error.field)).toEqual(["f3"]);
  });
});
