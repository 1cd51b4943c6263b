import { describe, expect, it } from "vitest";
import { fromBase64url } from "../../src/domain/credential/keys.ts";
import { type Json } from "../support/client";
import { makeForm } from "../support/service";

import { amounts, integrator, path, text } from "./contract-form";

describe("Search", () => {
  it("returns 200 at every limit: 50 conditions, depth 5, 100 values, long texts", async () => {
    const leaf = { field: "customer", op: "contains", value: "x".repeat(500) };
    const valueList = {
      field: "customer",
      op: "in",
      value: Array.from({ length: 100 }, (_, i) => `v${i}`),
    };
    const nest = (inner: Json) => ({ all: [{ any: [{ not: { all: [inner] } }] }] });
    const row = {
      field: "lines",
      op: "any",
      value: [{ any: [{ field: "sku", op: "contains", value: "a" }] }],
    };
    for (const condition of [
      leaf,
      valueList,
      row,
      { not: leaf },
      { field: "amount", op: "between", value: [1, 2] },
    ]) {
      for (const wrap of [
        (all: Json[]) => all,
        (any: Json[]) => [{ any }],
        (all: Json[]) => [{ not: { all } }],
      ]) {
        const conditions = wrap(
          Array.from({ length: condition === row ? 25 : 50 }, () => condition),
        );
        for (const sort of [[], [{ field: "amount", direction: "desc" }]]) {
          const answer = await integrator.post(path, { conditions, sort });
          expect([answer.status, answer.text.slice(0, 200)]).toEqual([
            200,
            answer.text.slice(0, 200),
          ]);
        }
      }
    }
    expect((await integrator.post(path, { conditions: [nest(leaf)] })).status).toBe(200);
  });

  it("accepts a second sort key in a collection of at most 10,000 items", async () => {
    const sort = [{ field: "amount", direction: "desc" }, { field: "customer" }];
    const page = await integrator.post(path, { sort });
    expect(page.status).toBe(200);
    expect(page.body.items.map((item: Json) => item.data.amount)).toEqual(
      await amounts({ sort: [{ field: "amount", direction: "desc" }] }),
    );
    const conditions = [{ field: "amount", op: "gt", value: 0 }];
    expect(await amounts({ conditions, sort })).toEqual([30.2, 30.2, 10]);
  });

  it.each([
    ["ascending", [{ field: "t" }]],
    ["descending", [{ field: "t", direction: "desc" }]],
    ["by two keys", [{ field: "k", direction: "desc" }, { field: "t" }]],
    ["by two keys, descending", [{ field: "t", direction: "desc" }, { field: "k" }]],
  ])("keeps cursors short and free of values when values are long: %s", async (_, sort) => {
    const newForm = await makeForm(integrator, [
      { key: "t", type: "multiline_text", max_length: 100_000 },
      text("k"),
    ]);
    const start = "日本語の長い文".repeat(800);
    const texts = [
      ...Array.from({ length: 6 }, (__, i) => start + String(i)),
      "short",
      "x".repeat(90_000),
      "😀".repeat(200),
    ];
    for (const [index, t] of texts.entries()) {
      await integrator.post(`/forms/${newForm}/submissions`, { data: { t, k: `k${index % 2}` } });
    }
    await integrator.post(`/forms/${newForm}/submissions`, { data: { k: "k0" } });
    const searchPath = `/forms/${newForm}/submissions/search`;
    const expectedItems = (await integrator.post(searchPath, { sort, limit: 200 })).body.items;
    const readPages = async (betweenPages: (item: Json) => Promise<unknown>) => {
      const items: Json[] = [];
      for (let next: string | null = `${searchPath}?limit=1`; next;) {
        const page = await integrator.post(next, { sort });
        expect([page.status, page.text]).toEqual([200, page.text]);
        items.push(...page.body.items);
        next = page.body.links.next;
        if (!next) break;
        const cursor = new URL(next).searchParams.get("cursor") ?? "";
        expect(cursor.length).toBeLessThanOrEqual(500);
        const bytes = fromBase64url(cursor) ?? new Uint8Array();
        expect(new TextDecoder().decode(bytes)).not.toMatch(/日本|xxx|short/);
        await betweenPages(page.body.items.at(-1));
      }
      return items.map((item) => item.id);
    };
    expect(await readPages(async () => undefined)).toEqual(
      expectedItems.map((item: Json) => item.id),
    );
    // A caller that continues after a deleted or changed item may see items twice, but misses none.
    const changedIds = new Set<string>();
    const ids = await readPages(async (item) => {
      const { id, data } = item;
      if (changedIds.has(id)) return;
      changedIds.add(id);
      if (changedIds.size % 2 === 0) await integrator.delete(`/submissions/${id}`);
      else await integrator.patch(`/submissions/${id}`, { data: { t: `${data.t ?? ""}!` } });
    });
    expect(new Set(ids)).toEqual(new Set(expectedItems.map((item: Json) => item.id)));
  });
});
