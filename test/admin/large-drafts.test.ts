import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { admin, client, makeForm } from "../support/service";

const html = { Accept: "text/html" };

const formulas = (count: number, formula = "1") =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      [`fields[${i}].type`, "computed"],
      [`fields[${i}].label`, `c${i}`],
      [`fields[${i}].result`, "number"],
      [`fields[${i}].formula`, formula],
    ]).flat(),
  );

describe("Editor of many fields", () => {
  let caller: Client;
  let form: string;
  beforeAll(async () => {
    caller = await client();
    form = await makeForm(caller);
  });
  const send = (inputs: object, path = `/forms/${form}/fields?draft`) =>
    admin("POST", path, { version: 1, ...inputs }, html);

  it("returns a page whose size is proportional to the number of formulas", async () => {
    const small = await send(formulas(210));
    const large = await send(formulas(420));
    expect([small.status, large.status]).toEqual([200, 200]);
    expect(large.text.length).toBeLessThan(2.1 * small.text.length);
    expect(large.text).toContain('data-names="c0 c1 ');
  });

  it("shows the error of each formula once", async () => {
    const { status, text } = await send(formulas(50, "missing"));
    expect(status).toBe(200);
    expect(text.split('aria-invalid="true"')).toHaveLength(51);
  });

  it("returns 422 for a draft of more than 500 fields, and for an edit that adds the 501st", async () => {
    const tooMany = await admin("POST", `/forms/${form}/fields?draft`, formulas(501));
    expect([tooMany.status, tooMany.body.errors]).toEqual([
      422,
      [expect.objectContaining({ reason: expect.stringContaining("up to 500 fields") })],
    ]);
    const added = await send({ ...formulas(500), do: "add:text" }, "/forms?draft");
    expect([added.status, added.text.split('class="def"').length]).toEqual([422, 501]);
  });

  it("shows the fields of a larger definition with a link to its code", async () => {
    const fields = Array.from({ length: 501 }, (_, i) => ({ key: `n${i}`, type: "number" }));
    await caller.put(`/forms/${form}-large/schema`, { fields });
    const { status, text } = await admin("GET", `/forms/${form}-large`, undefined, html);
    expect(status).toBe(200);
    expect(text).toContain(`/admin/forms/${form}-large/json`);
    expect(text).not.toContain('class="def"');
  });
});
