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
const parts = ["ä", "SS", "ß", "%", "_", "a", "1", "本", "b", "🎉", "zz"];
const numbers = [-2, 0, 1, 1.5, 2, 10, 12.25, 123];
const whole = [0, 1, 2, 3, 7, 10, 100];
const days = ["2026-01-01Z", "2026-01-01+09:00", "2026-01-02-05:00", "2025-12-31", "2026-03-01"];
const times = [
  "2026-01-01T00:00:00Z",
  "2026-01-01T09:00:00+09:00",
  "2026-01-01T00:00:00.5Z",
  "2025-06-01T12:00:00Z",
];
const mails = Array.from({ length: 200 }, (_, index) => `m${index}@example.com`);

/** A value as it could be sent; for lists never an empty one. */
function valueOf(random: Random, type: string, name: string): Json {
  if (name === "code") return `C${random.int(1, 300)}`;
  if (name === "serial") return random.int(1, 400);
  if (name === "qty") return random.pick(whole);
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
      return random.pick(mails);
    case "line_items":
      return Array.from({ length: random.int(1, 4) }, () => row(random));
  }
  throw new Error(`No such type: ${type}`);
}

function row(random: Random): Json {
  const columns = Object.entries(rowTypes).filter(([name]) => name !== "amount");
  return Object.fromEntries(
    columns
      .filter(() => random.chance(0.8))
      .map(([name, type]) => [name, random.chance(0.1) ? null : valueOf(random, type, name)]),
  );
}

const written = ({ type, name }: Field) => type !== "computed" && name !== "ref";

/** What a create sends, by key. */
export function newData(random: Random, { fields }: Definition, ref: string): Values {
  const sent = fields.filter((field) => written(field) && (field.required || random.chance(0.6)));
  const entries = sent.map((field): [string, Json] => [field.key, sentValue(random, field)]);
  return { ref, ...Object.fromEntries(entries) };
}

/** What a PATCH sends, by key. */
export function someData(random: Random, { fields }: Definition): Values {
  const sent = random.some(fields.filter(written), 4);
  return Object.fromEntries(
    sent.map((field) => {
      const cleared = !field.required && random.chance(0.15);
      return [field.key, cleared ? null : sentValue(random, field)];
    }),
  );
}

function sentValue(random: Random, field: Field): Json {
  const value = valueOf(random, field.type, field.name);
  return field.required && value === "" ? "title" : value;
}

/** A value as it is stored and shown; null where it is empty. */
export function storedValue(field: Field, zone: string, value: Json): Json {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return null;
  if (field.type !== "line_items") return storedScalar(field.type, zone, value);
  return (value as Values[]).map((sent) =>
    Object.fromEntries(
      Object.entries(rowTypes).map(([name, type]) => {
        const empty = type === "multi_select" ? [] : null;
        const has = sent[name] ?? null;
        const nothing = has === null || has === "" || name === "amount";
        return [name, nothing ? empty : storedScalar(type, zone, has)];
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

/** Types of a definition's fields by their keys, as the reference of search takes them. */
export function searchTypes({ fields }: Definition): Values {
  const own = fields.map((field) => [
    field.key,
    field.type === "line_items" ? rowTypes : valueType(field),
  ]);
  const system = { $created_at: "datetime", $updated_at: "datetime", $place: "number" };
  return { ...Object.fromEntries(own), ...system };
}

const ranged = ["eq", "ne", "gt", "gte", "lt", "lte", "between", "in", "is_empty"];
const textual = ["eq", "ne", "in", "not_in", "contains", "starts_with", "is_empty"];
const operators: Record<string, string[]> = {
  text: textual,
  multiline_text: textual,
  email: textual,
  number: ranged,
  date: ranged,
  datetime: ranged,
  boolean: ["eq", "is_empty"],
  select: ["eq", "ne", "in", "not_in", "is_empty"],
  multi_select: ["has_any", "has_all", "has_none", "is_empty"],
  line_items: ["any", "none", "is_empty"],
};

/** An operand: mostly a value that some item has. */
function operand(random: Random, type: string, name: string, known: readonly Json[]): Json {
  const has = known.filter((each) => each !== null && !Array.isArray(each));
  if (has.length > 0 && random.chance(0.6)) return random.pick(has);
  const value = valueOf(random, type, name);
  if (value === "") return "a";
  return typeof value === "string" ? value.normalize("NFC") : value;
}

function leaf(
  random: Random,
  field: string,
  type: string,
  name: string,
  known: readonly Json[],
): Json {
  const op = random.pick(operators[type] ?? []);
  const one = () => operand(random, type, name, known);
  const said = (value: Json) => ({ field, op, value });
  switch (op) {
    case "is_empty":
      return said(random.chance(0.5));
    case "contains":
    case "starts_with":
      return said(random.pick(parts));
    case "between":
      return said([one(), one()]);
    case "in":
    case "not_in":
      return said(Array.from({ length: random.int(1, 3) }, one));
    case "has_any":
    case "has_all":
    case "has_none":
      return said(random.some(options, 3));
    case "any":
    case "none":
      return said(Array.from({ length: random.int(1, 2) }, () => rowLeaf(random, known)));
    default:
      return said(one());
  }
}

function rowLeaf(random: Random, known: readonly Json[]): Json {
  const name = random.pick(Object.keys(rowTypes));
  const has = known.flat().map((each: Json) => each?.[name] ?? null);
  return leaf(random, name, rowTypes[name] ?? "text", name, has);
}

export interface Search {
  conditions: Json[];
  sort: { field: string; direction: string }[];
}

/** A random search of the fields that can be searched; `known` gives values that a field has somewhere. */
export function randomSearch(
  random: Random,
  kind: "app" | "form",
  definition: Definition,
  known: (field: Field) => Json[],
): Search {
  const fields = definition.fields.filter(({ searchable }) => searchable);
  const tree = (depth: number): Json => {
    const group = depth > 0 && random.chance(0.25) ? random.pick(["all", "any", "not"]) : "leaf";
    if (group === "not") return { not: tree(depth - 1) };
    if (group !== "leaf") {
      return { [group]: Array.from({ length: random.int(1, 3) }, () => tree(depth - 1)) };
    }
    if (kind === "form" && random.chance(0.1)) {
      return { field: "$status", op: "eq", value: random.pick(["draft", "submitted", "closed"]) };
    }
    const field = random.pick(fields);
    return leaf(random, field.key, valueType(field), field.name, known(field));
  };
  const sortable = fields.filter(
    (field) => !["multi_select", "line_items"].includes(valueType(field)),
  );
  const system = [
    "$id",
    "$created_at",
    "$updated_at",
    kind === "form" ? "$status" : "$receipt_number",
  ];
  const keys = random.some([...sortable.map(({ key }) => key), random.pick(system)], 2, 0);
  return {
    conditions: Array.from({ length: random.int(0, 3) }, () => tree(2)),
    sort: keys.map((field) => ({ field, direction: random.pick(["asc", "desc"]) })),
  };
}
