import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import { beforeAll, describe, expect, it } from "vitest";
import { catchUp } from "../../src/actions/backfill.ts";
import type { ActionContext } from "../../src/actions/context.ts";
import { putDefinition } from "../../src/actions/definitions.ts";
import { sweep } from "../../src/actions/sweep.ts";
import { permissions } from "../../src/domain/credential/permissions.ts";
import type { Client, Json } from "../support/client";
import { ofPrimary } from "../../src/store/db/session.ts";
import { nothingCached } from "../support/nothing-cached";
import { client, makeForm } from "../support/service";

const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });
const large = text("large", { max_length: 100_000, searchable: false });
const unique = { unique: true };

/** Acts as the API does, but for the work behind the answer: that is done when the test says so. */
const ctx: ActionContext = {
  db: env.DB,
  primary: env.DB,
  definitions: nothingCached,
  versions: ofPrimary,
  actor: "system",
  permissions,
  resources: "all",
  session: null,
  requestId: "test",
  sentRequestId: null,
  now: () => Date.now(),
  newId: () => ulid(),
  later: () => undefined,
  noteChange: () => undefined,
  replays: { recalled: () => undefined, remember: () => undefined },
};

describe("A change that has to look at more items than one step can is pending", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  /** Items so large that a batch does not look at all of them: nine of nearly a megabyte. */
  const makeLarge = async (fields: object[], values: (index: number) => object) => {
    const big = Array.from({ length: 9 }, (_, i) => ({ ...large, key: `large${i}` }));
    const all = [...fields, ...big];
    const form = await makeForm(integrator, all);
    const filler = Object.fromEntries(big.map(({ key }) => [key, "x".repeat(99_000)]));
    const ids: string[] = [];
    for (let index = 0; index < 9; index += 1) {
      const data = { ...filler, ...values(index) };
      const { body } = await integrator.post(`/forms/${form}/submissions`, { data });
      ids.push(body.id);
    }
    return { form, ids, big };
  };
  const put = (form: string, fields: object[]) =>
    putDefinition(ctx, "form", form, { fields }, { ifMatch: null, ifNoneMatch: null });
  const schema = async (form: string): Promise<Json> =>
    (await integrator.get(`/forms/${form}/schema`)).body;
  const create = (form: string, data: object) =>
    integrator.post(`/forms/${form}/submissions`, { data });

  it("PUT answers 202 with the definition that holds, and it takes effect when all items were seen", async () => {
    const { form, big } = await makeLarge([text("code")], (index) => ({ code: `c${index}` }));
    const fields = [text("code", unique), ...big];
    const answer = await integrator.put(`/forms/${form}/schema`, { fields });
    expect([answer.status, answer.body.schema_version]).toEqual([202, 1]);
    expect(answer.body.fields[0].unique).toBe(false);
    expect(answer.body.pending).toEqual({ schema_version: 2, done: expect.any(Number), total: 9 });
    await catchUp(env.DB);
    const after = await integrator.get(`/forms/${form}/schema`);
    expect([after.body.schema_version, after.body.fields[0].unique]).toEqual([2, true]);
    expect("pending" in after.body).toBe(false);
    expect(after.etag).not.toBe(answer.etag);
    expect((await create(form, { code: "c3" })).body).toMatchObject({
      code: "duplicate",
      field: "code",
    });
  });

  it("writes meanwhile obey both: no value comes twice, whenever it was looked at", async () => {
    const { form, ids, big } = await makeLarge([text("code")], (index) => ({ code: `c${index}` }));
    expect((await put(form, [text("code", unique), ...big])).outcome).toBe("pending");
    const one = await create(form, { code: "new" });
    expect(one.status).toBe(201);
    expect((await create(form, { code: "new" })).body).toMatchObject({
      code: "duplicate",
      id: one.body.id,
    });
    const moved = await integrator.patch(`/submissions/${ids[0]}`, { data: { code: "moved" } });
    expect(moved.status).toBe(200);
    const untouched = await integrator.patch(`/submissions/${ids[1]}`, {
      data: { large1: "short" },
    });
    expect(untouched.status).toBe(200);
    await integrator.delete(`/submissions/${ids[2]}`);
    expect((await create(form, { code: "moved" })).status).toBe(409);
    expect((await create(form, { code: "c0" })).status).toBe(201);
    expect((await create(form, { code: "c2" })).status).toBe(201);
    expect((await schema(form)).pending).toMatchObject({ done: 0, total: 9 });
    await catchUp(env.DB);
    expect((await schema(form)).schema_version).toBe(2);
    const taken = ["new", "moved", "c0", "c1", "c2", "c3", "c8"];
    for (const code of taken)
      expect([code, (await create(form, { code })).status]).toEqual([code, 409]);
    const races = await Promise.all(
      Array.from({ length: 20 }, () => create(form, { code: "race" })),
    );
    expect(races.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it("is dropped with the 409 that it would have been, told until the next PUT, where an item stands against it", async () => {
    const { form, ids, big } = await makeLarge([text("code")], (index) => ({
      code: `c${index % 8}`,
    }));
    const wanted = [text("code", unique), ...big];
    const before = await schema(form);
    await put(form, wanted);
    await catchUp(env.DB);
    const { pending, ...now } = await schema(form);
    expect(now).toEqual(before);
    expect(pending.problem).toMatchObject({ status: 409, code: "schema_in_use", field: "code" });
    expect(pending.problem.items.toSorted()).toEqual([ids[0], ids[8]].toSorted());
    expect((await create(form, { code: "c1" })).status).toBe(201);
    await integrator.put(`/forms/${form}/schema`, before);
    expect(await schema(form)).toEqual(before);
    // Once it is mended, the same change passes; what was kept for the first one is swept.
    for (const [index, id] of ids.entries()) {
      await integrator.patch(`/submissions/${id}`, { data: { code: `d${index}` } });
    }
    await put(form, wanted);
    await catchUp(env.DB);
    expect((await schema(form)).schema_version).toBe(2);
    await sweep(env.DB, Date.now());
    const left = await env.DB.prepare("SELECT count(*) n FROM former_unique").first<{
      n: number;
    }>();
    expect(left?.n).toBe(0);
    expect((await create(form, { code: "d5" })).status).toBe(409);
  });

  it("the same document again goes on with what is under way; another one takes its place", async () => {
    const { form, big } = await makeLarge([text("a"), text("b")], (index) => ({ a: `${index}` }));
    await put(form, [text("a", unique), text("b"), ...big]);
    const started = await integrator.get(`/forms/${form}/schema`);
    expect((await put(form, [text("a", unique), text("b"), ...big])).outcome).toBe("pending");
    expect((await integrator.get(`/forms/${form}/schema`)).etag).toBe(started.etag);
    expect((await put(form, [text("a"), text("b", unique), ...big])).outcome).toBe("pending");
    expect((await create(form, { a: "0" })).status).toBe(201);
    await catchUp(env.DB);
    expect(
      (await schema(form)).fields.map((each: Json) => each.unique ?? false).slice(0, 2),
    ).toEqual([false, true]);
  });

  it("400 fields of other types: items are looked at in steps, and values that stand against it refused", async () => {
    const typed = (type: string) => Array.from({ length: 400 }, (_, i) => ({ key: `f${i}`, type }));
    const form = await makeForm(integrator, [...typed("text"), text("t")]);
    for (let i = 0; i < 60; i += 1) await create(form, { t: `${i}` });
    expect((await put(form, [...typed("number"), text("t")])).outcome).toBe("pending");
    const refused = await create(form, { f7: "a value" });
    expect(refused.body).toMatchObject({ status: 409, code: "schema_in_use", field: "f7" });
    expect((await create(form, { t: "more" })).status).toBe(201);
    await catchUp(env.DB);
    expect((await schema(form)).schema_version).toBe(2);
    expect((await create(form, { f7: 5 })).body.data.f7).toBe(5);
    await put(form, [...typed("text"), text("t")]);
    await catchUp(env.DB);
    expect((await schema(form)).pending.problem).toMatchObject({
      code: "schema_in_use",
      field: "f7",
    });
  });
});
