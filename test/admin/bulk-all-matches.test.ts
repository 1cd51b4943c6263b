import { describe, expect, it } from "vitest";
import type { Json } from "../support/client";
import { admin } from "../support/service";

import { formWith, html, integrator, runAll } from "./bulk-forms";

describe("A bulk action on all matches", () => {
  it("first says how many items match, and how many the action can change", async () => {
    const { act, create, ids } = await formWith({ kind: "a" }, { kind: "a" }, { kind: "b" });
    await create({ kind: "a" }, "draft");
    const body = { all: "yes", search: "f.kind.in=a", act: "close" };
    const { body: answer } = await act(body);
    expect(answer).toEqual({
      matches: { count: 3, exact: true },
      allowed: { count: 2, exact: true },
      mark: expect.any(String),
    });
    const { text } = await act(body, html);
    expect(text).toContain("Close 2 submissions?");
    expect(text).toContain("1 of 3 submissions won’t change");
    expect(text).toContain("Kind is a");
    expect((await integrator.get(`/submissions/${ids[0]}`)).body.status).toBe("submitted");
  });

  it("changes more items than one request may, in steps, each item once", async () => {
    const { act, create, createMany, count } = await formWith({ kind: "a", amount: 1 });
    await createMany(1000, { kind: "a", amount: 1 });
    await create({ kind: "b" });
    const search = "f.kind.in=a";
    const body = { all: "yes", search, act: "edit", data: { amount: 2 } };
    const { result, steps } = await runAll(act, body);
    expect(result).toMatchObject({ done: 1001, unchanged: 0, refused: 0, next: null });
    expect(steps).toBe(3);
    expect(await count("f.amount.eq=2")).toBe(1001);
    const again = await runAll(act, body);
    expect(again.result).toMatchObject({ done: 0, unchanged: 1001, refused: 0 });
  }, 30_000);

  it("reaches every match although each change removes it from the matches", async () => {
    const { act, count, createMany } = await formWith({ kind: "a" });
    await createMany(500, { kind: "a" });
    const search = "f.kind.in=a&sort=title&direction=desc";
    const body = { all: "yes", search, act: "edit", data: { kind: "b" } };
    const { result } = await runAll(act, body);
    expect(result).toMatchObject({ done: 501, refused: 0 });
    expect([await count("f.kind.in=a"), await count("f.kind.in=b")]).toEqual([0, 501]);
  }, 30_000);

  it("leaves out items that came or stopped matching between two steps", async () => {
    const { act, create, createMany, ids } = await formWith({ kind: "a", title: "oldest" });
    await createMany(520, { kind: "a" });
    const body = {
      all: "yes",
      search: "f.kind.in=a",
      act: "edit",
      sure: "yes",
      data: { amount: 7 },
    };
    const first = (await act(body)).body;
    expect(first).toMatchObject({ done: 500, refused: 0 });
    const newcomer = await create({ kind: "a" });
    await integrator.patch(`/submissions/${ids[0]}`, { data: { kind: "b" } });
    const { next: from, done, unchanged, refused, failed } = first;
    const last = await act({ ...body, from, done, unchanged, refused, refusals: failed });
    expect(last.body).toMatchObject({ done: 520, refused: 0, next: null });
    for (const id of [newcomer, ids[0]])
      expect((await integrator.get(`/submissions/${id}`)).body.data.amount).toBeNull();
  }, 30_000);

  it("never changes an item that no longer matches, while others change the items", async () => {
    const { act, ids, form } = await formWith(...Array.from({ length: 30 }, () => ({ kind: "a" })));
    const body = { all: "yes", search: "f.kind.in=a", act: "edit", data: { amount: 5 } };
    const [{ result }] = await Promise.all([
      runAll(act, body),
      ...ids
        .slice(0, 10)
        .map((id) => integrator.patch(`/submissions/${id}`, { data: { kind: "b" } })),
    ]);
    const { items } = (await integrator.get(`/forms/${form}/submissions?limit=100`)).body;
    const wrong = (items as Json[]).filter(({ data }) => data.kind === "a" && data.amount !== 5);
    expect(wrong).toEqual([]);
    const changed = (items as Json[]).filter(({ data }) => data.amount === 5);
    expect(result.done).toBe(changed.length);
    // Each item's history shows that it matched when it was changed.
    for (const { id } of changed) {
      const { history } = (await admin("GET", `/forms/${form}/items/${id}`)).body;
      const changes = (history.items as Json[]).map(({ fields: own }) => JSON.stringify(own));
      const [kindAt, amountAt] = ["kind", "amount"].map((key) =>
        changes.findIndex((text) => text?.includes(`"${key}"`)),
      );
      if (kindAt !== undefined && kindAt !== -1 && amountAt !== undefined && amountAt !== -1)
        expect([id, kindAt <= amountAt]).toEqual([id, true]);
    }
  }, 30_000);

  it("applies to a view and to a text search", async () => {
    const { form, act, count } = await formWith(
      { title: "one desk", amount: 1 },
      { title: "two desks", amount: 9 },
      { title: "lamp", amount: 1 },
    );
    const conditions = [{ field: "amount", op: "lt", value: 5 }];
    const sort = [{ field: "title" }];
    await integrator.patch(`/forms/${form}/schema`, {
      views: [{ key: "small", name: "Small", conditions, sort }],
    });
    const body = { all: "yes", search: "view=small&q=desk", act: "delete" };
    expect((await act(body)).body.matches.count).toBe(1);
    expect((await runAll(act, body)).result).toMatchObject({ done: 1, refused: 0 });
    expect(await count("")).toBe(2);
  });

  it("rejects the cursor of another selection or action", async () => {
    const { act, createMany } = await formWith({ kind: "a" });
    await createMany(500, { kind: "a" });
    const body = {
      all: "yes",
      search: "f.kind.in=a",
      act: "edit",
      sure: "yes",
      data: { amount: 1 },
    };
    const { next: from } = (await act(body)).body;
    for (const other of [{ search: "" }, { act: "delete" }, { from: `${from}x` }]) {
      const answer = await act({ ...body, from, ...other });
      expect([answer.status, answer.body.errors[0].code]).toEqual([422, "invalid_cursor"]);
    }
  }, 30_000);
});
