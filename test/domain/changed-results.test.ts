import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileCollection, type CompiledCollection } from "../../src/domain/data/compile.ts";
import type { Data } from "../../src/domain/data/values.ts";
import type { Definition } from "../../src/domain/definition/collection.ts";
import { computedFields, type Field } from "../../src/domain/definition/field.ts";
import { mergeDefinition } from "../../src/domain/definition/merge.ts";
import { checkDefinition } from "../../src/domain/definition/parse-definition.ts";
import { changedResults } from "../../src/domain/formula/changed-results.ts";
import { computeData } from "../../src/domain/formula/compute.ts";

interface FieldDocument {
  key: string;
  type: string;
  [rule: string]: unknown;
}

const number = (key: string, rules: object = {}): FieldDocument => ({
  key,
  type: "number",
  ...rules,
});
const computed = (key: string, formula: string, rules: object = {}): FieldDocument => ({
  key,
  type: "computed",
  formula,
  result: "number",
  ...rules,
});
const lines = (...fields: FieldDocument[]): FieldDocument => ({
  key: "lines",
  type: "line_items",
  fields,
});

function define(
  former: Definition | null,
  fields: readonly FieldDocument[],
  zone: string,
): CompiledCollection {
  const { document } = checkDefinition("form", "f", { fields, time_zone: zone });
  if (!document) throw new Error("The definition is invalid.");
  const { definition, errors } = mergeDefinition("form", "f", former, document);
  const versions = { version: 1, revision: 1, fieldsVersion: 1, stamp: "" };
  const collection = { id: 1, kind: "form" as const, key: "f", ...versions, pending: null };
  const compiled = compileCollection({ ...collection, definition });
  expect([errors, compiled.fields.formulaErrors]).toEqual([[], []]);
  return compiled;
}

const definitionOf = ({ collection }: CompiledCollection) => collection.definition;

/** The keys of the computed fields and columns with these ids. */
const keysOf = (compiled: CompiledCollection, ids: ReadonlySet<number>) =>
  computedFields(definitionOf(compiled).fields)
    .filter(({ id }) => ids.has(id))
    .map(({ key }) => key)
    .toSorted();

/** The keys of the results that can change between two definitions. */
function changedKeys(
  [before, beforeZone = "UTC"]: [FieldDocument[], string?],
  [after, afterZone = beforeZone]: [FieldDocument[], string?],
): string[] {
  const former = define(null, before, beforeZone);
  const next = define(definitionOf(former), after, afterZone);
  return keysOf(next, changedResults(definitionOf(former), next, []));
}

const plain = [number("a"), number("b")];

describe("The results that a definition change can change", () => {
  it("are the changed formulas and those that use them, directly or through others", () => {
    const fields = (x: string) => [
      ...plain,
      computed("z", "y * 2"),
      computed("x", x),
      computed("y", "x + a"),
      computed("other", "a + b"),
    ];
    expect(changedKeys([fields("a")], [fields("b")])).toEqual(["x", "y", "z"]);
  });

  it.each<[string, object, object, string[]]>([
    ["decimals", {}, { decimals: 2 }, ["x", "y"]],
    ["label", {}, { label: "X" }, []],
    ["help text", {}, { help: "Sum" }, []],
    ["search setting", {}, { searchable: false }, []],
  ])("follow from the %s of a field as from its formula", (_, before, after, expected) => {
    const fields = (rules: object) => [
      ...plain,
      computed("x", "a / 3", rules),
      computed("y", "x + 1"),
      computed("other", "b"),
    ];
    expect(changedKeys([fields(before)], [fields(after)])).toEqual(expected);
  });

  it("include results with a new type, and those that use them", () => {
    const fields = (formula: string, result: string) => [
      ...plain,
      computed("x", formula, { result }),
      computed("y", "concat(x)", { result: "text" }),
    ];
    expect(changedKeys([fields("a", "number")], [fields("string(a)", "text")])).toEqual(["x", "y"]);
  });

  it("include totals of a column only if they read the column", () => {
    const fields = (amount: string) => [
      lines(number("qty"), number("price"), computed("amount", amount), computed("tax", "price")),
      computed("total", "sum(lines.map(l, l.amount))"),
      computed("taxes", "sum(lines.map(l, l.tax))"),
      computed("count", "size(lines)"),
      computed("first", "lines[0].amount"),
      computed("named", "lines[0]['amount']"),
      computed("assembled", "lines[0]['am' + 'ount']"),
    ];
    expect(changedKeys([fields("qty * price")], [fields("qty * price * 2")])).toEqual([
      "amount",
      "assembled",
      "first",
      "named",
      "total",
    ]);
  });

  it("include a formula that reads another as an index", () => {
    const fields = (x: string) => [...plain, computed("y", "[1, 2, 3][x]"), computed("x", x)];
    expect(changedKeys([fields("a")], [fields("b")])).toEqual(["x", "y"]);
  });

  it("include an unchanged formula whose fields swapped their keys", () => {
    const swapped = [number("b", { renamed_from: "a" }), number("a", { renamed_from: "b" })];
    const results = [computed("difference", "a - b"), computed("one", "1")];
    expect(changedKeys([[...plain, ...results]], [[...swapped, ...results]])).toEqual([
      "difference",
    ]);
  });

  it("are none when fields move, or when a variable of a loop has the name of a changed field", () => {
    const results = [computed("x", "a + b"), computed("n", "sum([1, 2].map(y, y + 1))")];
    const changing = (formula: string) => computed("y", formula);
    expect(
      changedKeys(
        [[...plain, ...results, changing("1")]],
        [[...plain.toReversed(), ...results.toReversed(), changing("2")]],
      ),
    ).toEqual(["y"]);
  });

  it("include results that depend on the time zone when it changes", () => {
    const fields = [
      { key: "at", type: "datetime" },
      computed("days", "days_between(at, '2026-01-01')"),
      computed("later", "add_days(at, 1.0)", { result: "datetime" }),
      computed("day", "add_days('2026-01-01', 1.0)", { result: "date" }),
      computed("text", "day", { result: "text" }),
      computed("double", "days * 2"),
      computed("one", "1"),
    ];
    expect(changedKeys([fields, "UTC"], [fields, "Asia/Tokyo"])).toEqual([
      "day",
      "days",
      "double",
      "text",
    ]);
  });

  it("include results of today() whenever items are recalculated", () => {
    const fields = (x: string) => [
      ...plain,
      computed("age", "days_between('2026-01-01', today())"),
      computed("years", "age / 365"),
      computed("x", x),
      computed("other", "a"),
    ];
    expect(changedKeys([fields("a")], [fields("b")])).toEqual(["age", "x", "years"]);
    expect(changedKeys([fields("a")], [[...fields("a"), number("c")]])).toEqual([]);
  });
});

/** An expression whose dependencies are known because it was built from them. */
interface Expression {
  text: string;
  /** The keys of the fields that it reads, and of columns as `lines.KEY`. */
  reads: string[];
  readsDay?: boolean;
  readsZone?: boolean;
}

const sumOf = (a: Expression, b: Expression): Expression => ({
  text: `(${a.text} + ${b.text})`,
  reads: [...a.reads, ...b.reads],
  readsDay: a.readsDay === true || b.readsDay === true,
  readsZone: a.readsZone === true || b.readsZone === true,
});

/** Expressions that read only these fields, and these columns of `lines`. */
function expressions(fields: readonly string[], columns: readonly string[]) {
  const literal = fc.nat(9).map((value): Expression => ({ text: String(value), reads: [] }));
  const field = fc
    .constantFrom(...fields)
    .map((key): Expression => ({ text: `coalesce(${key}, 0.0)`, reads: [key] }));
  const dated = fc.constantFrom<Expression>(
    { text: "days_between('2026-01-01', today())", reads: [], readsDay: true, readsZone: true },
    { text: "days_between(at, '2026-01-01')", reads: ["at"], readsZone: true },
    { text: "size(lines)", reads: ["lines"] },
  );
  const ofRows = fc
    .tuple(fc.constantFrom("l", "a", "x0"), fc.constantFrom(...columns, "c0"), fc.nat(2))
    .map(([variable, column, form]): Expression => ({
      text: [
        `sum(lines.map(${variable}, coalesce(${variable}.${column}, 0.0)))`,
        `coalesce(lines[0].${column}, 0.0)`,
        `lines[0]["${column}"]`,
      ][form] as string,
      reads: ["lines", `lines.${column}`],
    }));
  const leaves = columns.length > 0 ? [literal, field, field, dated, ofRows] : [literal, field];
  const leaf = fc.oneof(...leaves);
  return fc.array(leaf, { minLength: 1, maxLength: 3 }).map((parts) => parts.reduce(sumOf));
}

const rowResults = ["r0", "r1"];
const results = ["x0", "x1", "x2", "x3", "x4"];

/** A formula for each result. Each reads only those before it in a random order. */
const graphs = fc
  .tuple(
    fc.shuffledSubarray(rowResults, { minLength: 2 }),
    fc.shuffledSubarray(results, { minLength: 5 }),
  )
  .chain(([rowOrder, order]) => {
    const columns = rowOrder.map((_, index) =>
      expressions(["c0", "c1", ...rowOrder.slice(0, index)], []),
    );
    const formulas = order.map((_, index) =>
      expressions(["a", "b", ...order.slice(0, index)], ["c0", "c1", ...rowOrder]),
    );
    return fc.tuple(fc.tuple(...columns), fc.tuple(...formulas)).map(([ofColumns, ofFields]) => ({
      order: [...rowOrder, ...order],
      formulas: new Map<string, Expression>([
        ...rowOrder.map((key, index) => [key, ofColumns[index] as Expression] as const),
        ...order.map((key, index) => [key, ofFields[index] as Expression] as const),
      ]),
    }));
  });

interface Variant {
  formulas: ReadonlyMap<string, Expression>;
  decimals: ReadonlySet<string>;
  swapsFields: boolean;
  swapsColumns: boolean;
  zone: string;
}

/** A definition and another one: some formulas are replaced by those of a graph with the same order of results. */
const changes = graphs.chain((graph) =>
  fc
    .record({
      replaced: fc.subarray(graph.order),
      replacements: fc.array(fc.nat(9), { minLength: 7, maxLength: 7 }),
      removesReads: fc.boolean(),
      decimals: fc.subarray(graph.order, { maxLength: 1 }),
      swapsFields: fc.boolean(),
      swapsColumns: fc.boolean(),
      changesZone: fc.boolean(),
    })
    .map(({ replaced, replacements, removesReads, ...rest }): [Variant, Variant] => {
      const next = new Map(
        graph.order.map((key, index): [string, Expression] => {
          const former = graph.formulas.get(key) as Expression;
          const constant: Expression = { text: `${replacements[index]}`, reads: [] };
          if (!replaced.includes(key)) return [key, former];
          return [key, removesReads ? constant : sumOf(former, constant)];
        }),
      );
      const same = { swapsFields: false, swapsColumns: false };
      return [
        { formulas: graph.formulas, decimals: new Set(), ...same, zone: "UTC" },
        {
          formulas: next,
          decimals: new Set(rest.decimals),
          swapsFields: rest.swapsFields,
          swapsColumns: rest.swapsColumns,
          zone: rest.changesZone ? "Asia/Tokyo" : "UTC",
        },
      ];
    }),
);

function documentOf({ formulas, decimals, swapsFields, swapsColumns }: Variant): FieldDocument[] {
  const result = (key: string) =>
    computed(key, formulas.get(key)?.text ?? "", decimals.has(key) ? { decimals: 1 } : {});
  const pair = (a: string, b: string, isSwapped: boolean) => [
    number(a, isSwapped ? { renamed_from: b } : {}),
    number(b, isSwapped ? { renamed_from: a } : {}),
  ];
  return [
    ...pair("a", "b", swapsFields),
    { key: "at", type: "datetime" },
    lines(...pair("c0", "c1", swapsColumns), ...rowResults.map(result)),
    ...results.map(result),
  ];
}

/** Names of fields and columns, as expressions read them, by id. */
function namesById({ fields }: Definition["fields"]): Map<string, number> {
  const columnsOf = (field: Field) => (field.type === "line_items" ? field.fields : []);
  return new Map(
    fields.flatMap((field) => [
      [field.key, field.id] as const,
      ...columnsOf(field).map(({ key, id }) => [`${field.key}.${key}`, id] as const),
    ]),
  );
}

/** The plain definition: what differs itself, and what reaches that by reading. Repeats until nothing is added. */
function expectedIds(
  [before, after]: [Variant, Variant],
  former: Definition,
  next: Definition,
): Set<number> {
  const [formerIds, ids] = [namesById(former.fields), namesById(next.fields)];
  const nameOf = (key: string) => (rowResults.includes(key) ? `lines.${key}` : key);
  const readsOf = (variant: Variant, key: string, names: Map<string, number>) =>
    (variant.formulas.get(key)?.reads ?? []).map(
      (read) => names.get(rowResults.includes(key) ? `lines.${read}` : read) as number,
    );
  const keys = [...after.formulas.keys()];
  const differs = (key: string) =>
    before.formulas.get(key)?.text !== after.formulas.get(key)?.text ||
    after.decimals.has(key) ||
    String(readsOf(before, key, formerIds)) !== String(readsOf(after, key, ids)) ||
    (before.zone !== after.zone && after.formulas.get(key)?.readsZone === true);
  const changed = new Set(keys.filter(differs));
  if (changed.size > 0)
    for (const key of keys) if (after.formulas.get(key)?.readsDay) changed.add(key);
  const idOf = (key: string) => ids.get(nameOf(key)) as number;
  for (let size = -1; size < changed.size;) {
    size = changed.size;
    const changedIds = new Set([...changed].map(idOf));
    for (const key of keys)
      if (readsOf(after, key, ids).some((id) => changedIds.has(id))) changed.add(key);
  }
  return new Set([...changed].map(idOf));
}

/** The stored results by id. Those of a column are a list. */
function resultsById(compiled: CompiledCollection, data: Data): Map<number, unknown> {
  return new Map(
    compiled.fields.list.flatMap(({ field, slot, rows }): [number, unknown][] => {
      if (field.type === "computed") return [[field.id, data[slot]]];
      const values = (data[slot] ?? []) as Data[];
      return (rows?.list ?? [])
        .filter((column) => column.field.type === "computed")
        .map((column) => [column.field.id, values.map((row) => row[column.slot])]);
    }),
  );
}

const amount = fc.integer({ min: -50, max: 50 });
const items = fc.record({
  a: amount,
  b: amount,
  rows: fc.array(fc.record({ c0: amount, c1: amount }), { maxLength: 3 }),
});

const day = 24 * 60 * 60 * 1000;

describe("For random formulas and changes, the results that can change", () => {
  it("are those that the plain definition of dependency names", () => {
    fc.assert(
      fc.property(changes, ([before, after]) => {
        const former = define(null, documentOf(before), before.zone);
        const next = define(definitionOf(former), documentOf(after), after.zone);
        const expected = expectedIds([before, after], definitionOf(former), definitionOf(next));
        const actual = changedResults(definitionOf(former), next, []);
        expect(keysOf(next, actual)).toEqual(keysOf(next, expected));
      }),
      { numRuns: 300 },
    );
  });

  it("include every result that is different after a recalculation on another day", () => {
    fc.assert(
      fc.property(changes, items, ([before, after], { a, b, rows }) => {
        const former = define(null, documentOf(before), before.zone);
        const next = define(definitionOf(former), documentOf(after), after.zone);
        const ids = namesById(definitionOf(former).fields);
        const slot = (name: string) => String(ids.get(name));
        const data = {
          [slot("a")]: a,
          [slot("b")]: b,
          [slot("at")]: "2026-03-04T20:00:00Z",
          [slot("lines")]: rows.map(({ c0, c1 }) => ({
            [slot("lines.c0")]: c0,
            [slot("lines.c1")]: c1,
          })),
        };
        const now = Date.parse("2026-11-21T20:00:00Z");
        const { data: stored } = computeData(former, data, now);
        const { data: recalculated } = computeData(next, stored, now + day);
        const changed = changedResults(definitionOf(former), next, []);
        if (changed.size === 0) return;
        const formerResults = resultsById(former, stored);
        for (const [id, value] of resultsById(next, recalculated))
          if (!changed.has(id)) expect(value).toEqual(formerResults.get(id));
      }),
      { numRuns: 300 },
    );
  });
});
