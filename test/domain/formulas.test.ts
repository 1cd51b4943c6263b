import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildDraft } from "../../src/actions/create-item.ts";
import { compileCollection } from "../../src/domain/data/compile.ts";
import type { Data } from "../../src/domain/data/values.ts";
import { mergeDefinition } from "../../src/domain/definition/merge.ts";
import { checkDefinition } from "../../src/domain/definition/parse-definition.ts";
import { computeData, batchBudget } from "../../src/domain/formula/compute.ts";

const number = (key: string, rules: object = {}) => ({ key, type: "number", ...rules });
const computed = (key: string, formula: string, rules: object = {}) => ({
  key,
  type: "computed",
  formula,
  result: "number",
  ...rules,
});

/** Compiles a form with these fields. Field IDs follow their order, with columns after their list. */
function compileForm(fields: object[], zone = "Asia/Tokyo") {
  const { document, errors } = checkDefinition("form", "f", { fields, time_zone: zone });
  if (!document) throw new Error(JSON.stringify(errors));
  const { definition } = mergeDefinition("form", "f", null, document);
  const form = compileCollection({
    id: 1,
    kind: "form",
    key: "f",
    version: 1,
    revision: 1,
    pending: null,
    stamp: "",
    fieldsVersion: 1,
    definition,
  });
  expect([errors, form.fields.formulaErrors]).toEqual([[], []]);
  return form;
}

const now = Date.parse("2026-11-21T03:00:00Z");

/** Computes a field `out` after these fields. Returns its value and the codes of its warnings. */
function valueOf(fields: object[], data: Data, formula: string, rules: object = {}) {
  const form = compileForm([...fields, computed("out", formula, rules)]);
  const id = form.fields.byKey.get("out")?.slot ?? "";
  const { data: after, warnings } = computeData(form, data, now);
  return [after[id] ?? null, ...warnings.map(({ code }) => code)];
}

describe("Formulas", () => {
  const lines = { key: "l", type: "line_items", fields: [number("q")] };
  const invoice = compileForm([
    { key: "l", type: "line_items", fields: [number("q"), number("p"), computed("a", "q * p")] },
    computed("total", "sum(l.map(r, r.a))", { decimals: 2 }),
    computed("tax", "total * 0.1", { decimals: 2 }),
    computed("mean", "avg(l.map(r, r.p))", { decimals: 2 }),
  ]);
  const rowsOf = (values: number[]) => ({ "1": values.map((value) => ({ "2": value })) });

  it("calculate with exact decimals: 25 × 32.41 is 810.25, and 10 % of it is 81.03", () => {
    const sum = "sum(l.map(r, r.q))";
    const rows = (count: number, value: number) =>
      rowsOf(Array.from({ length: count }, () => value));
    expect(valueOf([lines], rows(25, 32.41), sum)).toEqual([810.25]);
    expect(valueOf([lines], rows(25, 32.41), `${sum} * 0.1`, { decimals: 2 })).toEqual([81.03]);
    expect(valueOf([lines], rows(15, 64.07), sum)).toEqual([961.05]);
    const toBoolean = { result: "boolean" };
    expect(valueOf([lines], rows(100, 0.1), `${sum} >= 10 && ${sum} == 10`, toBoolean)).toEqual([
      true,
    ]);
  });

  it("return the exact sum of any rows in any order, equal to a sum of big integers", () => {
    const cents = fc.integer({ min: -99_999_999, max: 99_999_999 });
    const row = fc.record({ q: fc.integer({ min: -999, max: 999 }), p: cents });
    const amount = fc.array(row, { maxLength: 60 });
    fc.assert(
      fc.property(
        amount.chain((rows) =>
          fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
        ),
        ([rows, permutation]) => {
          const total = rows.reduce((sum, { q, p }) => sum + BigInt(q) * BigInt(p), 0n);
          const results = [rows, permutation].map((order) => {
            const storedRows = order.map(({ q, p }) => ({ "2": q, "3": Number(`${p}e-2`) }));
            return computeData(invoice, storedRows.length > 0 ? { "1": storedRows } : {}, now).data;
          });
          const [first, second] = results;
          expect(second?.["5"]).toBe(first?.["5"]);
          expect(first?.["5"]).toBe(Number(`${total}e-2`));
          // Rounds half away from zero.
          const size = total < 0n ? -total : total;
          const tax = (size + 5n) / 10n;
          expect(first?.["6"]).toBe(Number(`${total < 0n ? -tax : tax}e-2`) || 0);
        },
      ),
      { numRuns: Number(process.env["RUNS"] ?? 500) },
    );
  });

  it.each([
    ["1 / 3 * 3", 1],
    ["1 / 3", 0.333_333_333_333_333_3],
    ["2 / 3 == 0.66666666666666666667 ? 1 : 0", 1],
    ["0.1 + 0.2 == 0.3 ? 1 : 0", 1],
    ["0.1234567890123456789 - 0.1234567890123456788 == 0.0000000000000000001 ? 1 : 0", 1],
    ["size('abc') / 2", 1.5],
    ["count([1, 2]) == 2 ? size([1]) : 2.5", 1],
    ["int('7') / 2 + double('0.5') + int(2.9)", 6],
    ["-7 % 3", -1],
    ["floor(-1.5) + ceil(1.2) + abs(-3)", 3],
    ["2 in [1, 2.0]  ? 1 : 0", 1],
    ["0x10 + 1e2", 116],
    ["-(3) + -2", -5],
    ["[5, 6, 7][count([1, 2]) - 1]", 6],
    ["min(1, 2.5) + max([1, 2]) + round(2.345, 2)", 5.35],
    ["round(1250, -2)", 1300],
  ])("%s is %d", (formula, expected) => {
    expect(valueOf([], {}, formula)).toEqual([expected]);
  });

  it("compare every type with null, and mix number types in the branches of a conditional", () => {
    const fields = [number("a"), { key: "t", type: "text" }, { key: "d", type: "date" }];
    expect(valueOf(fields, {}, "a == null ? 5 : a")).toEqual([5]);
    expect(valueOf(fields, { "1": 2 }, "a != null ? a : size(t)")).toEqual([2]);
    expect(valueOf(fields, { "3": "2026-11-21Z" }, "null == t && d != null ? 1 : 0.5")).toEqual([
      1,
    ]);
    expect(valueOf([lines], rowsOf([1, 2]), "count(l.filter(r, r.q != null))")).toEqual([2]);
  });

  it("count calendar days in days_between and add_days, in the form's time zone for date-times", () => {
    const fields = [
      { key: "d", type: "date" },
      { key: "t", type: "datetime" },
    ];
    const data = { "1": "2026-02-27+09:00", "2": "2026-03-01T20:00:00.000Z" };
    expect(valueOf(fields, data, "days_between(d, '2026-03-01')")).toEqual([2]);
    expect(valueOf(fields, data, "days_between('2026-03-01', d)")).toEqual([-2]);
    expect(valueOf(fields, data, "days_between(d, t)")).toEqual([3]);
    expect(valueOf(fields, data, "days_between(today(), add_days(today(), 40))")).toEqual([40]);
    const day = { result: "date" };
    expect(valueOf(fields, data, "add_days(d, 2)", day)).toEqual(["2026-03-01+09:00"]);
    const instant = { result: "datetime" };
    expect(valueOf(fields, data, "add_days(t, -1)", instant)).toEqual(["2026-02-28T20:00:00.000Z"]);
    for (const formula of ["add_days(d, 0.5)", "add_days('soon', 1)", "add_days(d, 9999999)"]) {
      expect(valueOf(fields, data, formula, day)).toEqual([null, "formula_failed"]);
    }
  });

  it("return null and formula_failed for results that no JSON number can hold exactly", () => {
    expect(
      valueOf([number("a")], { "1": 1234567890123.25 }, "a * 100.01", { decimals: 4 }),
    ).toEqual([null, "formula_failed"]);
    expect(valueOf([number("a")], { "1": 9_007_199_254_740_991 }, "a + 1")).toEqual([
      null,
      "formula_failed",
    ]);
  });

  it("run after the formulas that they read as an index", () => {
    const fields = [number("a"), computed("y", "[10, 20, 30][x]"), computed("x", "a + 1")];
    const form = compileForm(fields);
    expect(computeData(form, { 1: 1 }, now).data).toEqual({ 1: 1, 2: 30, 3: 2 });
  });

  it("share one budget of steps per item, which counts processed characters and digits", () => {
    const text = { key: "m", type: "multiline_text", max_length: 100_000 };
    const lineItems = { key: "l", type: "line_items", fields: [number("n")] };
    const data = {
      "1": "a".repeat(100_000),
      "2": Array.from({ length: 500 }, (_, n) => ({ "3": n })),
    };
    const condition = "m.contains('b" + "a".repeat(900) + "')";
    const slowFormulas = [
      `sum(l.map(r, (m + "x").size() > 0 ? r.n : 0))`,
      `sum(l.map(r, ${Array.from({ length: 20 }, () => "m.contains('ab')").join(" || ")} ? r.n : 0))`,
      `(${condition} || ${condition}) ? 1 : 0`,
      `m + m == m ? 1 : 0`,
      Array.from({ length: 40 }, () => "m.size()").join(" + "),
      `sum(l.map(r, ${Array.from({ length: 25 }, () => "(r.n + 0.1234567)").join(" * ")})) > 0 ? 1 : 0`,
    ];
    for (const formula of slowFormulas) {
      const fields = [
        text,
        lineItems,
        ...["a", "b", "c", "d"].map((key) => computed(key, formula)),
      ];
      const form = compileForm(fields);
      const { warnings } = computeData(form, data, now);
      expect([formula, warnings.length > 0]).toEqual([formula, true]);
    }
  });
});

describe("Formulas of a batch", () => {
  it("stop running when the steps of the batch are used up", () => {
    const form = compileForm([number("a"), computed("out", "a + 1")]);
    const budget = { ...batchBudget(2), formulaBudget: { stepsLeft: 10 } };
    const draftErrors = () => buildDraft(form, { data: { a: 1 } }, now, budget).errors;
    expect(draftErrors().map(({ code }) => code)).toEqual(["too_complex"]);
    const stepsAfterFirst = budget.formulaBudget.stepsLeft;
    expect(draftErrors().map(({ code }) => code)).toEqual(["too_complex"]);
    expect(budget.formulaBudget.stepsLeft).toBe(stepsAfterFirst);
  });
});
