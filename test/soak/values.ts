import { options, rowTypes, valueType, type Definition, type Field } from "./definition.ts";
import { offsets, type Values } from "./formulas.ts";
import type { Random } from "./random.ts";

type Json = Values[string];

const texts = [
  "Ärger",
  "A\u0308rger",
  "ärger",
  "STRASSE",
  "straße",
  "a%b_c",
  "A",
  "a",
  "00123",
  "123",
  "日本",
  "ab",
  "🎉x",
  "",
];
const textParts = ["ä", "SS", "ß", "%", "_", "a", "1", "本", "b", "🎉", "zz"];
const numbers = [-2, 0, 1, 1.5, 2, 10, 12.25, 123];
const integers = [0, 1, 2, 3, 7, 10, 100];
const days = ["2026-01-01Z", "2026-01-01+09:00", "2026-01-02-05:00", "2025-12-31", "2026-03-01"];
const times = [
  "2026-01-01T00:00:00Z",
  "2026-01-01T09:00:00+09:00",
  "2026-01-01T00:00:00.5Z",
  "2025-06-01T12:00:00Z",
];
const emails = Array.from({ length: 200 }, (_, index) => `m${index}@example.com`);

/** Returns a random value to send. Lists are never empty. */
function valueOf(random: Random, type: string, name: string): Json {
  if (name === "code") return `C${random.int(1, 300)}`;
  if (name === "serial") return random.int(1, 400);
  if (name === "qty") return random.pick(integers);
  switch (type) {
    case "text":
    case "multiline_text":
      return random.pick(texts);
    case "number":
      return random.pick(numbers);
    case "date":
      return random.pick(days);
    case "datetime":
      return random.pick(times);
    case "boolean":
      return random.chance(0.5);
    case "select":
      return random.pick(options);
    case "multi_select":
      return random.some(options, 3);
    case "email":
      return random.pick(emails);
    case "line_items":
      return Array.from({ length: random.int(1, 4) }, () => randomRow(random));
  }
  throw new Error(`No such type: ${type}`);
}

function randomRow(random: Random): Json {
  const columns = Object.entries(rowTypes).filter(([name]) => name !== "amount");
  return Object.fromEntries(
    columns
      .filter(() => random.chance(0.8))
      .map(([name, type]) => [name, random.chance(0.1) ? null : valueOf(random, type, name)]),
  );
}

const isWritable = ({ type, name }: Field) => type !== "computed" && name !== "ref";

/** Builds the data of a create, by key. */
export function newData(random: Random, { fields }: Definition, ref: string): Values {
  const sentFields = fields.filter(
    (field) => isWritable(field) && (field.required || random.chance(0.6)),
  );
  const entries = sentFields.map((field): [string, Json] => [field.key, sentValue(random, field)]);
  return { ref, ...Object.fromEntries(entries) };
}

/** Builds the data of a PATCH, by key. */
export function someData(random: Random, { fields }: Definition): Values {
  const changedFields = random.some(fields.filter(isWritable), 4);
  return Object.fromEntries(
    changedFields.map((field) => {
      const isCleared = !field.required && random.chance(0.15);
      return [field.key, isCleared ? null : sentValue(random, field)];
    }),
  );
}

function sentValue(random: Random, field: Field): Json {
  const value = valueOf(random, field.type, field.name);
  return field.required && value === "" ? "title" : value;
}

/** Converts a sent value to its stored form, which is null if empty. */
export function storedValue(field: Field, zone: string, value: Json): Json {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return null;
  if (field.type !== "line_items") return storedScalar(field.type, zone, value);
  return (value as Values[]).map((row) =>
    Object.fromEntries(
      Object.entries(rowTypes).map(([name, type]) => {
        const emptyValue = type === "multi_select" ? [] : null;
        const cell = row[name] ?? null;
        const isEmpty = cell === null || cell === "" || name === "amount";
        return [name, isEmpty ? emptyValue : storedScalar(type, zone, cell)];
      }),
    ),
  );
}

function storedScalar(type: string, zone: string, value: Json): Json {
  if (type === "date")
    return /\d$/.test(value) && value.length === 10 ? value + offsets[zone] : value;
  if (type === "datetime") return new Date(value).toISOString();
  return typeof value === "string" ? value.normalize("NFC") : value;
}

/** Maps the keys of a definition's fields to their types, in the form of the search reference. */
export function searchTypes({ fields }: Definition): Values {
  const fieldTypes = fields.map((field) => [
    field.key,
    field.type === "line_items" ? rowTypes : valueType(field),
  ]);
  const systemTypes = { $created_at: "datetime", $updated_at: "datetime", $place: "number" };
  return { ...Object.fromEntries(fieldTypes), ...systemTypes };
}

const rangeOperators = ["eq", "ne", "gt", "gte", "lt", "lte", "between", "in", "is_empty"];
const textOperators = ["eq", "ne", "in", "not_in", "contains", "starts_with", "is_empty"];
const operators: Record<string, string[]> = {
  text: textOperators,
  multiline_text: textOperators,
  email: textOperators,
  number: rangeOperators,
  date: rangeOperators,
  datetime: rangeOperators,
  boolean: ["eq", "is_empty"],
  select: ["eq", "ne", "in", "not_in", "is_empty"],
  multi_select: ["has_any", "has_all", "has_none", "is_empty"],
  line_items: ["any", "none", "is_empty"],
};

/** Returns a random operand, usually a value of some item. */
function randomOperandOf(
  random: Random,
  type: string,
  name: string,
  knownValues: readonly Json[],
): Json {
  const scalars = knownValues.filter(
    (candidate) => candidate !== null && !Array.isArray(candidate),
  );
  if (scalars.length > 0 && random.chance(0.6)) return random.pick(scalars);
  const value = valueOf(random, type, name);
  if (value === "") return "a";
  return typeof value === "string" ? value.normalize("NFC") : value;
}

function leafCondition(
  random: Random,
  field: string,
  type: string,
  name: string,
  knownValues: readonly Json[],
): Json {
  const op = random.pick(operators[type] ?? []);
  const randomOperand = () => randomOperandOf(random, type, name, knownValues);
  const condition = (value: Json) => ({ field, op, value });
  switch (op) {
    case "is_empty":
      return condition(random.chance(0.5));
    case "contains":
    case "starts_with":
      return condition(random.pick(textParts));
    case "between":
      return condition([randomOperand(), randomOperand()]);
    case "in":
    case "not_in":
      return condition(Array.from({ length: random.int(1, 3) }, randomOperand));
    case "has_any":
    case "has_all":
    case "has_none":
      return condition(random.some(options, 3));
    case "any":
    case "none":
      return condition(
        Array.from({ length: random.int(1, 2) }, () => rowCondition(random, knownValues)),
      );
    default:
      return condition(randomOperand());
  }
}

function rowCondition(random: Random, knownValues: readonly Json[]): Json {
  const name = random.pick(Object.keys(rowTypes));
  const rowValues = knownValues.flat().map((row: Json) => row?.[name] ?? null);
  return leafCondition(random, name, rowTypes[name] ?? "text", name, rowValues);
}

export interface Search {
  conditions: Json[];
  sort: { field: string; direction: string }[];
}

/** Builds a random search of searchable fields. `knownValues` returns existing values of a field. */
export function randomSearch(
  random: Random,
  kind: "app" | "form",
  definition: Definition,
  knownValues: (field: Field) => Json[],
): Search {
  const fields = definition.fields.filter(({ searchable }) => searchable);
  const randomCondition = (depth: number): Json => {
    const group = depth > 0 && random.chance(0.25) ? random.pick(["all", "any", "not"]) : "leaf";
    if (group === "not") return { not: randomCondition(depth - 1) };
    if (group !== "leaf") {
      return {
        [group]: Array.from({ length: random.int(1, 3) }, () => randomCondition(depth - 1)),
      };
    }
    if (kind === "form" && random.chance(0.1)) {
      return { field: "$status", op: "eq", value: random.pick(["draft", "submitted", "closed"]) };
    }
    const field = random.pick(fields);
    return leafCondition(random, field.key, valueType(field), field.name, knownValues(field));
  };
  const sortable = fields.filter(
    (field) => !["multi_select", "line_items"].includes(valueType(field)),
  );
  const systemFields = [
    "$id",
    "$created_at",
    "$updated_at",
    kind === "form" ? "$status" : "$receipt_number",
  ];
  const keys = random.some([...sortable.map(({ key }) => key), random.pick(systemFields)], 2, 0);
  return {
    conditions: Array.from({ length: random.int(0, 3) }, () => randomCondition(2)),
    sort: keys.map((field) => ({ field, direction: random.pick(["asc", "desc"]) })),
  };
}
