import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { app } from "../../src/app";
import { host } from "../support/client";
import { client, makeForm, ownerCookie } from "../support/service";

/** D1, with how many of its answers stood behind one another; what is asked at once is one trip. */
function inTurns(db: D1Database): { db: D1Database; turns: () => number } {
  let done = 0;
  const turn = <T>(ask: () => Promise<T>): Promise<T> => {
    const own = done + 1;
    return ask().finally(() => (done = Math.max(done, own)));
  };
  const statements = new WeakMap<object, D1PreparedStatement>();
  const wrap = (real: D1PreparedStatement): D1PreparedStatement => {
    const own = {
      bind: (...values: unknown[]) => wrap(real.bind(...values)),
      all: () => turn(() => real.all()),
      run: () => turn(() => real.run()),
      raw: () => turn(() => real.raw()),
      first: () => turn(() => real.first()),
    } as unknown as D1PreparedStatement;
    statements.set(own, real);
    return own;
  };
  const wrapped = {
    prepare: (sql: string) => wrap(db.prepare(sql)),
    batch: (all: D1PreparedStatement[]) =>
      turn(() => db.batch(all.map((each) => statements.get(each) ?? each))),
  } as unknown as D1Database;
  return { db: wrapped, turns: () => done };
}

describe("What a page of definitions and data asks of D1, one after another", () => {
  let form: string;
  let item: string;
  beforeAll(async () => {
    const integrator = await client();
    form = await makeForm(integrator, [
      { key: "who", type: "text" },
      { key: "n", type: "number" },
    ]);
    for (let n = 0; n < 60; n += 1) {
      const { body } = await integrator.post(`/forms/${form}/submissions`, {
        data: { who: `w${n}`, n },
      });
      item = body.id;
    }
  });

  const turnsOf = async (path: string) => {
    const { db, turns } = inTurns(env.DB);
    const ctx = createExecutionContext();
    const request = new Request(`${host}/admin${path}`, {
      headers: { Accept: "text/html", Cookie: await ownerCookie() },
    });
    const answer = await app.fetch(request, { ...env, DB: db }, ctx);
    await waitOnExecutionContext(ctx);
    return [path, answer.status, turns()];
  };

  it("who is signed in, and then all that it shows at once", async () => {
    await turnsOf(`/forms/${form}/items`);
    for (const path of [
      "/forms",
      "/apps",
      `/forms/${form}`,
      `/forms/${form}/settings`,
      `/forms/${form}/api`,
      `/forms/${form}/json`,
      `/forms/${form}/items`,
      `/forms/${form}/items?sort=n&direction=desc`,
      `/forms/${form}/items/new`,
      `/forms/${form}/items/${item}`,
      `/forms/${form}/items/${item}?edit`,
    ]) {
      expect(await turnsOf(path)).toEqual([path, 200, 2]);
    }
  });

  it("a search that has to be planned asks once more", async () => {
    await turnsOf(`/forms/${form}/items`);
    for (const query of ["f.n.gte=3&f.n.lte=9", "q=w1", "f.who.contains=w&f.n.lte=9&sort=n"]) {
      const [path, status, turns] = await turnsOf(`/forms/${form}/items?${query}`);
      expect([path, status, Number(turns) <= 3]).toEqual([path, 200, true]);
    }
  });
});
