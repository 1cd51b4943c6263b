import { describe, expect, it } from "vitest";
import { answerOf, type Json } from "../support/client";
import { servedBetween } from "../support/serve-between";
import { admin, adminRequest } from "../support/service";
import { fields, formWith, html, integrator } from "./bulk-forms";

/** Somebody changes a view or a field between the page that describes a bulk action and the steps that run it. */

const viewOf = (kind: string, further = {}) => ({
  key: "v",
  name: "Some",
  conditions: [{ field: "kind", op: "eq", value: kind }],
  ...further,
});

async function formWithView(...data: object[]) {
  const made = await formWith(...data);
  /** Replaces the definition. */
  const define = async (definition: object) => {
    const path = `/forms/${made.form}/schema`;
    const { status, body } = await integrator.put(path, {
      name: "Form",
      fields,
      views: [],
      ...definition,
    });
    expect([status, body.errors]).toEqual([200, undefined]);
  };
  const setView = (kind: string, further = {}) => define({ views: [viewOf(kind, further)] });
  await setView("a");
  const post = (inputs: Record<string, string>, headers = {}) =>
    admin(
      "POST",
      `/forms/${made.form}/items/selected`,
      undefined,
      { ...html, ...headers, "Content-Type": "application/x-www-form-urlencoded" },
      new URLSearchParams(inputs).toString(),
    );
  const items = async (): Promise<Json[]> =>
    (await integrator.get(`/forms/${made.form}/submissions?limit=200`)).body.items;
  /** Gives the key of a field to a new field, and another key to the field. */
  const replaceKey = async (key: string, type: string) => {
    const former = fields.map((field) =>
      field.key === key ? { ...field, key: "former", renamed_from: key } : field,
    );
    await define({ fields: [...former, { key: "later", type }] });
    const kept = former.map((field) => ({ ...field, renamed_from: undefined }));
    await define({ fields: [...kept, { key, type, renamed_from: "later" }] });
  };
  return { ...made, define, replaceKey, setView, post, items };
}

const decode = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");

/** The hidden inputs of the form that a page shows. */
function inputsOf(text: string): Record<string, string> {
  const form = /<form[^>]*action="[^"]*\/selected"[\s\S]*?<\/form>/.exec(text)?.[0] ?? "";
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries(
    Array.from(inputs, ([, name = "", value = ""]) => [name, decode(value)]),
  );
}

const deletion = { all: "yes", search: "view=v", act: "delete" };
const edit = { all: "yes", search: "view=v", act: "edit", data: { amount: 7 }, sure: "yes" };
const changed = "A view, a field or the day has changed since you opened this page";

describe("A bulk action that a member confirms", () => {
  it("changes nothing if the view has changed, and asks again with the new number", async () => {
    const { setView, post, items } = await formWithView(
      { kind: "a" },
      { kind: "b" },
      { kind: "b" },
    );
    const question = await post(deletion);
    expect(question.text).toContain("Delete 1 submission?");
    await setView("b");
    const answer = await post({ ...inputsOf(question.text), sure: "yes" });
    expect(answer.status).toBe(422);
    for (const text of ["Nothing was deleted", changed, "Delete 2 submissions?"])
      expect(answer.text).toContain(text);
    expect(await items()).toHaveLength(3);
    expect((await post({ ...inputsOf(answer.text), sure: "yes" })).status).toBe(303);
    expect((await items()).map(({ data }) => data.kind)).toEqual(["a"]);
  });

  it("says in Japanese that the view has changed", async () => {
    const { setView, post } = await formWithView({ kind: "a" }, { kind: "b" });
    const { text } = await post(deletion);
    await setView("b");
    const answer = await post({ ...inputsOf(text), sure: "yes" }, { "Accept-Language": "ja" });
    expect(answer.status).toBe(422);
    for (const part of ["削除していません", "ビューかフィールドが変更されたか"])
      expect(answer.text).toContain(part);
  });

  it("changes nothing if the view is gone, and links to the list", async () => {
    const { form, define, post, items } = await formWithView({ kind: "a" });
    const { text } = await post(deletion);
    await define({});
    const answer = await post({ ...inputsOf(text), sure: "yes" });
    expect(answer.status).toBe(422);
    for (const part of [changed, "has no view with this key", "data-done", `/forms/${form}/items"`])
      expect(answer.text).toContain(part);
    expect(await items()).toHaveLength(1);
  });

  it("runs if only the name, the sort or the shown fields of the view have changed", async () => {
    const { setView, define, post, items } = await formWithView({ kind: "a" }, { kind: "b" });
    const { text } = await post(deletion);
    await setView("a", { name: "Other", sort: [{ field: "title" }], fields: ["title"] });
    const renamed = {
      key: "sort",
      renamed_from: "kind",
      type: "select",
      options: fields[1]?.options,
    };
    await define({
      fields: [fields[0], renamed, fields[2]],
      views: [viewOf("a", { conditions: [{ field: "sort", op: "eq", value: "a" }] })],
    });
    expect((await post({ ...inputsOf(text), sure: "yes" })).status).toBe(303);
    expect(await items()).toHaveLength(1);
  });

  it("changes nothing if another field has the key of a filter now", async () => {
    const { replaceKey, post, items } = await formWithView({ kind: "b" });
    const { text } = await post({ ...deletion, search: "f.kind.is_empty=false" });
    await replaceKey("kind", "text");
    const answer = await post({ ...inputsOf(text), sure: "yes" });
    expect([answer.status, answer.text.includes(changed)]).toEqual([422, true]);
    expect(await items()).toHaveLength(1);
  });

  it("changes nothing if a field of a filter has another key now, and names the key", async () => {
    const { define, post, items } = await formWithView({ kind: "b" });
    const { text } = await post({ ...deletion, search: "f.kind.in=b" });
    await define({
      fields: [fields[0], { ...fields[1], key: "sort", renamed_from: "kind" }, fields[2]],
    });
    const answer = await post({ ...inputsOf(text), sure: "yes" });
    expect(answer.status).toBe(422);
    for (const part of [changed, "it was renamed to"]) expect(answer.text).toContain(part);
    expect(await items()).toHaveLength(1);
  });

  it.each([
    ["that were selected one by one", { all: "" }],
    ["that match", {}],
  ])("sets no other field in items %s than the page named", async (_, further) => {
    const { ids, replaceKey, post, items } = await formWithView({ kind: "a", amount: 1 });
    const [id = ""] = ids;
    const { sure, ...body } = { ...edit, data: "" };
    const { text } = await post({ ...body, ids: id, field: "amount", ...further });
    expect(text).toContain("Set Amount in 1 submission");
    await replaceKey("amount", "number");
    const answer = await post({ ...inputsOf(text), value: "7", sure });
    expect([answer.status, answer.text.includes(changed)]).toEqual([422, true]);
    expect((await items())[0]).toMatchObject({ version: 1, data: { former: 1 } });
  });

  it("changes nothing if the view changed since a script asked for the numbers", async () => {
    const { setView, act, items } = await formWithView({ kind: "a" }, { kind: "b" });
    const { mark } = (await act(deletion)).body;
    await setView("b");
    const { status, body } = await act({ ...deletion, mark, sure: "yes" });
    expect(status).toBe(422);
    expect(body).toMatchObject({ done: 0, errors: [{ code: "invalid_condition" }] });
    expect(await items()).toHaveLength(2);
  });
});

describe("A step of a bulk action", () => {
  async function afterOneStep() {
    const made = await formWithView({ kind: "a", amount: 1 });
    await made.createMany(30, { kind: "b", amount: 1 });
    await made.createMany(519, { kind: "a", amount: 1 });
    return made;
  }

  it("stops if the view has changed since the first one, with the results so far", async () => {
    const { act, count, setView } = await afterOneStep();
    const { next: from, failed: refusals, ...counts } = (await act(edit)).body;
    expect(counts).toMatchObject({ done: 500 });
    await setView("b");
    const rest = await act({ ...edit, from, refusals, ...counts });
    expect(rest.status).toBe(422);
    expect(rest.body).toMatchObject({
      done: 500,
      refused: 0,
      errors: [{ code: "invalid_condition" }],
    });
    expect(await count("f.kind.in=b&f.amount.eq=7")).toBe(0);
    expect(await count("f.amount.eq=7")).toBe(500);
  }, 30_000);

  it("stops on the page too, and asks whether to go on with the new selection", async () => {
    const { post, count, setView } = await afterOneStep();
    const progress = await post({ ...edit, data: JSON.stringify(edit.data) });
    expect(progress.text).toContain("data-continue");
    await setView("b");
    const stopped = await post(inputsOf(progress.text));
    expect(stopped.status).toBe(422);
    for (const text of ["Stopped: 500 updated so far", changed, "Set Amount in 30 submissions?"])
      expect(stopped.text).toContain(text);
    expect(stopped.text).not.toContain("data-continue");
    expect(await count("f.kind.in=b&f.amount.eq=7")).toBe(0);
  }, 30_000);

  it("stops if the view is gone, with the results so far", async () => {
    const { post, count, define } = await afterOneStep();
    const progress = await post({ ...edit, data: JSON.stringify(edit.data) });
    await define({});
    const stopped = await post(inputsOf(progress.text));
    expect(stopped.status).toBe(422);
    for (const text of ["Stopped: 500 updated so far", changed, "data-done"])
      expect(stopped.text).toContain(text);
    expect(await count("f.amount.eq=7")).toBe(500);
  }, 30_000);

  it.each([1, 2])(
    "keeps the conditions that it checked if the view changes before its search %i",
    async (place) => {
      const { form, setView, count, createMany } = await formWithView({ kind: "b" });
      await createMany(150, { kind: "a" });
      const path = `/forms/${form}/items/selected`;
      const change = () => setView("b");
      const body = { ...edit, total: 150 };
      const fetch = servedBetween(/'hit' as kind/, change, place);
      const answer = await answerOf(await fetch(await adminRequest("POST", path, body)));
      expect(answer.body).toMatchObject({ done: 150, next: null });
      expect(await count("f.kind.in=b&f.amount.eq=7")).toBe(0);
    },
  );

  it.each([
    [1, 0],
    [2, 100],
  ])(
    "stops if a field of a filter gets another key before its search %i, with the results so far",
    async (place, done) => {
      const { form, define, createMany, count } = await formWithView({ kind: "a" });
      await createMany(150, { kind: "a" });
      const path = `/forms/${form}/items/selected`;
      const renamed = { ...fields[1], key: "sort", renamed_from: "kind" };
      const change = () => define({ fields: [fields[0], renamed, fields[2]] });
      const body = { ...edit, search: "f.kind.in=a", total: 151 };
      const fetch = servedBetween(/'hit' as kind/, change, place);
      const answer = await answerOf(await fetch(await adminRequest("POST", path, body)));
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ done, errors: [{ code: "invalid_condition" }, {}] });
      expect(await count("f.amount.eq=7")).toBe(done);
    },
  );

  it("sets no other field if the field gets another key just before the step writes", async () => {
    const { ids, form, replaceKey, items } = await formWithView({ kind: "a", amount: 1 });
    const change = () => replaceKey("amount", "number");
    const fetch = servedBetween(/(update|insert into) "?(item|change)"?\b/i, change);
    const body = { ...edit, all: undefined, ids };
    const path = `/forms/${form}/items/selected`;
    const answer = await answerOf(await fetch(await adminRequest("POST", path, body)));
    expect(answer.body).toMatchObject({ done: 0, refused: 1 });
    expect(answer.body.failed[0].reason).toContain(changed);
    expect((await items())[0]).toMatchObject({ version: 1, data: { former: 1, amount: null } });
  });
});
