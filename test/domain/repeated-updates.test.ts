import { describe, expect, it } from "vitest";
import type { ActionContext } from "../../src/actions/context.ts";
import { hasSameData, nextState } from "../../src/actions/update-item.ts";
import { compileCollection } from "../../src/domain/data/compile.ts";
import { narrowCollection, type CollectionAccess } from "../../src/domain/data/narrow.ts";
import type { Data, LineItemRow } from "../../src/domain/data/values.ts";
import { mergeDefinition } from "../../src/domain/definition/merge.ts";
import { checkDefinition } from "../../src/domain/definition/parse-definition.ts";
import { batchBudget, computeData } from "../../src/domain/formula/compute.ts";
import type { Item } from "../../src/domain/item/item.ts";
import { viewMarks } from "../../src/domain/item/view-marks.ts";

/** Operations of one batch on the same item. What they read of its rows must not grow with their number. */

const now = Date.parse("2026-11-21T03:00:00Z");
const ctx = { now: () => now } as ActionContext;

const computed = (key: string, formula: string) => ({
  key,
  type: "computed",
  result: "number",
  formula,
});
const columns = [{ key: "quantity", type: "number" }, computed("double", "quantity * 2.0")];
const fields = [
  { key: "title", type: "text" },
  { key: "lines", type: "line_items", fields: columns },
  computed("total", "lines.map(l, l.double).sum()"),
];
const anyHundred = [{ field: "quantity", op: "eq", value: 100 }];
const withoutHundred = { field: "lines", op: "none", value: anyHundred };
const own = { field: "$created_by", op: "eq", value: "$me" };
const views = [
  { key: "titles", name: "Titles", fields: ["title"] },
  { key: "small", name: "Small", conditions: [withoutHundred] },
  { key: "own", name: "Own", conditions: [own, withoutHundred] },
];

function compileForm() {
  const { document, errors } = checkDefinition("form", "f", { fields, views });
  if (!document) throw new Error(JSON.stringify(errors));
  const { definition } = mergeDefinition("form", "f", null, document);
  const stored = { id: 1, kind: "form", key: "f", pending: null, stamp: "" } as const;
  const versions = { version: 1, revision: 1, fieldsVersion: 1 };
  return compileCollection({ ...stored, ...versions, definition });
}

const whole = compileForm();
const [view] = whole.collection.definition.views ?? [];
if (!view) throw new Error("The form has no view.");
const narrow = narrowCollection(whole, view, "system");
const slots = Object.fromEntries(whole.fields.list.map(({ field, slot }) => [field.key, slot]));
const [quantitySlot = ""] = (whole.fields.byKey.get("lines")?.rows?.list ?? []).map(
  ({ slot }) => slot,
);

/** An item with 50 rows, and the number of times that something read one of its rows. */
function createItem(removed: object) {
  const count = { reads: 0 };
  const rows = Array.from({ length: 50 }, (_, index) => ({ [quantitySlot]: index, ...removed }));
  const { data } = computeData(
    whole,
    { [slots["title"] ?? ""]: "a", [slots["lines"] ?? ""]: rows },
    now,
  );
  const list = (data[slots["lines"] ?? ""] as LineItemRow[]).map(
    (row) =>
      new Proxy<LineItemRow>(
        { ...row, ...removed },
        {
          ownKeys: (target) => {
            count.reads += 1;
            return Reflect.ownKeys(target);
          },
          get: (target, slot) => {
            count.reads += 1;
            return Reflect.get(target, slot);
          },
        },
      ),
  );
  const stored: Data = { ...data, [slots["lines"] ?? ""]: list };
  const item = { number: 1, status: "submitted", version: 1, data: stored } as Item;
  return { item, count };
}

interface Update {
  access: CollectionAccess;
  body: (index: number) => object;
  removed?: object;
}

/** Applies an update `times` times, and returns the outcomes and how often it read a row. */
function update({ access, body, removed = {} }: Update, times: number) {
  const { item, count } = createItem(removed);
  const stored = { item, compiled: access };
  const budget = batchBudget(2);
  const outcomes = new Set<string>();
  for (let index = 0; index < times; index += 1) {
    try {
      const next = nextState(ctx, stored, body(index), null, budget);
      outcomes.add(hasSameData(next, stored) ? "unchanged" : "updated");
    } catch (error) {
      outcomes.add((error as { code: string }).code);
    }
  }
  return { reads: count.reads, outcomes: [...outcomes], stepsLeft: budget.formulaBudget.stepsLeft };
}

describe("A batch reads the rows of an item as often for 100 operations as for 2", () => {
  const empty = () => ({ data: {} });
  it.each<[string, Update, string]>([
    ["that are empty", { access: whole, body: empty }, "unchanged"],
    ["that are empty, through a view", { access: narrow, body: empty }, "unchanged"],
    [
      "that are empty, with a removed column",
      { access: whole, body: empty, removed: { 99: "x" } },
      "unchanged",
    ],
    [
      "that send the same value",
      { access: whole, body: () => ({ data: { title: "a" } }) },
      "unchanged",
    ],
    [
      "that send invalid rows",
      { access: whole, body: () => ({ data: { lines: "none" } }) },
      "invalid_input",
    ],
    [
      "that send an invalid cell",
      { access: whole, body: () => ({ data: { lines: [{ quantity: "none" }] } }) },
      "invalid_input",
    ],
  ])("%s", (_, operation, outcome) => {
    const [few, many] = [update(operation, 2), update(operation, 100)];
    expect([few.outcomes, many.outcomes]).toEqual([[outcome], [outcome]]);
    expect(few.reads).toBeGreaterThan(0);
    expect(many.reads).toBe(few.reads);
  });

  it("that change another field, when they look for the views that the item matches", () => {
    const markTimes = (times: number) => {
      const { item, count } = createItem({});
      const stored = { ...item, createdBy: "system", updatedBy: "system" } as Item;
      let marks = "";
      for (let index = 0; index < times; index += 1) {
        const data = { ...item.data, [slots["title"] ?? ""]: `${index}` };
        marks = viewMarks(whole, stored, { ...stored, data }).known ?? "";
      }
      expect(marks).toContain(":a:system");
      return count.reads;
    };
    const few = markTimes(2);
    expect(few).toBeGreaterThan(0);
    expect(markTimes(100)).toBe(few);
  });

  it("and each of them spends the steps of the formulas", () => {
    const spent = (times: number) => {
      const { stepsLeft } = update({ access: whole, body: empty }, times);
      return batchBudget(2).formulaBudget.stepsLeft - stepsLeft;
    };
    expect(spent(1)).toBeGreaterThan(0);
    expect(spent(100)).toBe(100 * spent(1));
  });
});
