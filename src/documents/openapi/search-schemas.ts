import type { Collection } from "#domain/definition/collection.ts";
import { pageLimit } from "#domain/cursor.ts";
import { longestText, mostConditions, mostSorts, mostValues, type FieldKind, type Operator, type SearchField } from "#domain/search/tree.ts";
import { operators, searchFields } from "#domain/search/fields.ts";
import { day, storable } from "./field-schemas.ts";
import { schemaOfZod, closed, keyName, list, oneOfTexts, ref, stamp, typeName, type Schema } from "./schema.ts";

const number: Schema = { type: "number" };

/** The schemas of a search in this collection: its own fields, their own operators, and what each compares with. */
export function searchSchemas(one: string, collection: Collection): Schema {
  const fields = [...searchFields(collection).values()].filter((field) => field !== undefined);
  const keys = collection.definition.fields.fields.map((field) => field.key);
  const sortable = fields.filter(({ kind }) => kind !== "multi_select" && kind !== "line_items");
  const shown = { items: keys.length > 0 ? oneOfTexts(keys) : storable };
  return {
    ...conditionSchemas(one, fields),
    ...searchOf(
      one,
      sortable.map(({ name }) => name),
      shown,
    ),
  };
}

/** The schemas of a search in whichever collection. */
export function anySearchSchemas(): Schema {
  const every = [...new Set(Object.values(operators).flat())];
  const value = {
    anyOf: [
      storable,
      number,
      { type: "boolean" },
      list({ anyOf: [storable, number] }),
      conditions("Condition"),
    ],
  };
  return {
    ...unionOf("", { FieldCondition: leaf(storable, every, value) }),
    ...searchOf("", undefined, { items: storable }),
  };
}

function searchOf(one: string, sortable: readonly string[] | undefined, shown: Schema): Schema {
  return {
    [`${one}SortKey`]: closed(
      {
        field: sortable ? oneOfTexts(sortable) : storable,
        direction: { ...oneOfTexts(["asc", "desc"]), description: "Upwards where it is left out." },
      },
      ["field"],
    ),
    [`${one}Search`]: closed(
      {
        conditions: { ...list(ref("schemas", `${one}Condition`)), maxItems: mostConditions },
        sort: { ...list(ref("schemas", `${one}SortKey`)), maxItems: mostSorts },
        fields: { type: ["array", "null"], ...shown, description: "The keys that `data` shows." },
        limit: schemaOfZod(pageLimit),
        cursor: {
          type: "null",
          description: "The cursor goes into the query, as `links.next` has it.",
        },
      },
      [],
    ),
  };
}

/** A condition: on one of these fields, or a group of conditions. */
function conditionSchemas(one: string, fields: readonly SearchField[]): Schema {
  const byKind = Object.entries(Object.groupBy(fields, ({ kind }) => kind)) as [
    FieldKind,
    SearchField[],
  ][];
  const keys: Schema = {};
  const leaves: Schema = {};
  const rows: Schema[] = [];
  for (const [kind, some] of byKind) {
    const key = `${one}${typeName(kind)}Key`;
    for (const [shape, ops] of Object.entries(shapesOf(kind))) {
      const value = operandOf(kind, shape as Shape);
      if (!value) continue;
      keys[key] = oneOfTexts(some.map(({ name }) => name));
      leaves[`${typeName(kind)}${shape}Condition`] = leaf(ref("schemas", key), ops, value);
    }
  }
  for (const { name, rows: columns } of fields) {
    if (!columns || columns.size === 0) continue;
    const row = `${one}${keyName(name)}Row`;
    rows.push(conditionSchemas(row, [...columns.values()]));
    leaves[`${keyName(name)}RowsCondition`] = leaf(
      oneOfTexts([name]),
      ["any", "none"],
      conditions(`${row}Condition`),
    );
  }
  if (fields.length > 0) {
    const every = `${one}SearchableKey`;
    keys[every] = oneOfTexts(fields.map(({ name }) => name));
    leaves["EmptyCondition"] = leaf(ref("schemas", every), ["is_empty"], { type: "boolean" });
  }
  return Object.assign(keys, unionOf(one, leaves), ...rows) as Schema;
}

function unionOf(one: string, leaves: Schema): Schema {
  const condition = `${one}Condition`;
  const all: Schema = {
    ...leaves,
    ConditionAll: closed({ all: conditions(condition) }, ["all"]),
    ConditionAny: closed({ any: conditions(condition) }, ["any"]),
    ConditionNot: closed({ not: ref("schemas", condition) }, ["not"]),
  };
  const named = Object.entries(all).map(([name, schema]) => [one + name, schema] as const);
  return {
    [condition]: { oneOf: named.map(([name]) => ref("schemas", name)) },
    ...Object.fromEntries(named),
  };
}

function leaf(field: Schema, ops: readonly Operator[], value: Schema): Schema {
  return closed({ field, op: oneOfTexts(ops), value }, ["field", "op", "value"]);
}

function conditions(of: string): Schema {
  return { ...list(ref("schemas", of)), minItems: 1, maxItems: mostConditions };
}

/** What an operator compares with: one value, a part of a text, several values, or the ends of a range. */
type Shape = "" | "Part" | "List" | "Range" | "Rows" | "Empty";

function shapesOf(kind: FieldKind): { [S in Shape]?: Operator[] } {
  return Object.groupBy(operators[kind], shapeOf);
}

function shapeOf(op: Operator): Shape {
  switch (op) {
    case "eq":
    case "ne":
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return "";
    case "contains":
    case "starts_with":
      return "Part";
    case "in":
    case "not_in":
    case "has_any":
    case "has_all":
    case "has_none":
      return "List";
    case "between":
      return "Range";
    case "any":
    case "none":
      return "Rows";
    case "is_empty":
      return "Empty";
  }
}

/** Undefined where all fields share it, or each has its own. */
function operandOf(kind: FieldKind, shape: Shape): Schema | undefined {
  const value = scalarOf(kind);
  switch (shape) {
    case "":
      return value;
    case "Part":
      return { ...storable, minLength: 1, maxLength: longestText };
    case "List":
      return { ...list(value), minItems: 1, maxItems: mostValues };
    case "Range":
      return { ...list(value), minItems: 2, maxItems: 2 };
    case "Rows":
    case "Empty":
      return undefined;
  }
}

function scalarOf(kind: FieldKind): Schema {
  switch (kind) {
    case "number":
    case "boolean":
      return { type: kind };
    case "date":
      return day;
    case "datetime":
      return stamp;
    case "text":
    case "select":
    case "multi_select":
    case "line_items":
      return storable;
  }
}
