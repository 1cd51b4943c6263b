import { matches } from "../search/reference";

/** Documents and bodies, which this file reads without types. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** A number as a fraction. */
interface Fraction {
  over: bigint;
  under: bigint;
}

/**
 * The reference for aggregates: computes them from the documents that the API returns, with fractions of integers. Knows
 * no SQL, scales or index entries.
 */
export function aggregated(
  documents: Json[],
  body: Json,
  types: Record<string, Json>,
  timeZone: string,
): Json {
  const { group_by = [], metrics, order_by = [], limit = 100 } = body;
  const found = documents.filter((document) => matches(document, body.conditions ?? [], types));
  const groups = new Map<string, { key: Json[]; members: Json[] }>();
  if (group_by.length === 0) groups.set("[]", { key: [], members: [] });
  for (const document of found) {
    for (const key of keysOf(document, group_by, types, timeZone)) {
      const name = JSON.stringify(key);
      const group = groups.get(name) ?? { key, members: [] };
      group.members.push(document);
      groups.set(name, group);
    }
  }
  const rows = [...groups.values()].map(({ key, members }) => ({
    key,
    figures: Object.fromEntries(
      Object.entries(metrics as Record<string, Json>).map(([name, { op, field }]) => [
        name,
        figure(op, field, members, types),
      ]),
    ) as Record<string, Json>,
  }));
  const sorted = rows.toSorted((a, b) => {
    for (const { metric, direction } of order_by) {
      const difference = compareFigures(a.figures[metric], b.figures[metric], direction);
      if (difference !== 0) return difference;
    }
    for (const [index, value] of a.key.entries()) {
      const difference = compareKeys(value, b.key[index]);
      if (difference !== 0) return difference;
    }
    return 0;
  });
  const shown = sorted.slice(0, limit).map(({ key, figures }) => ({
    key: Object.fromEntries(group_by.map(({ field }: Json, index: number) => [field, key[index]])),
    metrics: Object.fromEntries(
      Object.entries(figures).map(([name, value]) => [name, published(value)]),
    ),
  }));
  return { groups: shown, truncated: sorted.length > limit };
}

const valueOf = (document: Json, field: string): Json =>
  (field.startsWith("$") ? document[field.slice(1)] : document.data[field]) ?? null;

/** The keys of all groups that a document belongs to. */
function keysOf(
  document: Json,
  groupBy: Json[],
  types: Record<string, Json>,
  timeZone: string,
): Json[][] {
  return groupBy.reduce<Json[][]>(
    (keys, { field, unit, time_zone }) => {
      const value = valueOf(document, field);
      const list = Array.isArray(value) ? (value.length > 0 ? value : [null]) : [value];
      const own = list.map((entry: Json) => {
        if (entry === null || unit === undefined) return entry;
        const day =
          types[field] === "date" ? entry.slice(0, 10) : localDay(entry, time_zone ?? timeZone);
        return period(day, unit);
      });
      return keys.flatMap((key) => own.map((entry: Json) => [...key, entry]));
    },
    [[]],
  );
}

const formats = new Map<string, Intl.DateTimeFormat>();

function localDay(instant: string, timeZone: string): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
  formats.set(timeZone, format);
  const parts = Object.fromEntries(
    format.formatToParts(Date.parse(instant)).map(({ type, value }) => [type, value]),
  );
  return `${(parts["year"] ?? "").padStart(4, "0")}-${parts["month"]}-${parts["day"]}`;
}

const dayMs = 24 * 60 * 60 * 1000;

function period(day: string, unit: string): string {
  const [year = "", month = ""] = day.split("-");
  switch (unit) {
    case "day":
      return day;
    case "week": {
      // A week belongs to the year of its Thursday.
      const date = Date.parse(`${day}T00:00:00Z`);
      const weekday = (new Date(date).getUTCDay() + 6) % 7;
      const thursday = new Date(date + (3 - weekday) * dayMs);
      const start = new Date(thursday);
      start.setUTCMonth(0, 1);
      const week = Math.floor((thursday.getTime() - start.getTime()) / (7 * dayMs)) + 1;
      return `${thursday.toISOString().slice(0, 4)}-W${String(week).padStart(2, "0")}`;
    }
    case "month":
      return `${year}-${month}`;
    case "quarter":
      return `${year}-Q${Math.ceil(Number(month) / 3)}`;
    default:
      return year;
  }
}

function figure(op: string, field: string | undefined, members: Json[], types: Json): Json {
  if (field === undefined) return members.length;
  const values = members
    .map((document) => valueOf(document, field))
    .filter((value) => value !== null && !(Array.isArray(value) && value.length === 0));
  switch (op) {
    case "count":
      return values.length;
    case "count_distinct":
      return new Set(values.flat().map((value) => comparable(value, types[field]))).size;
    case "min":
    case "max": {
      const sorted = values
        .map((value) => comparable(value, types[field]))
        .toSorted((a, b) => (a < b ? -1 : 1));
      const extreme = (op === "min" ? sorted[0] : sorted.at(-1)) ?? null;
      return types[field] === "datetime" && extreme !== null ? `${extreme}Z` : extreme;
    }
    default: {
      if (values.length === 0) return null;
      const sum = values.map(fractionOf).reduce(plus);
      return op === "sum" ? sum : { over: sum.over, under: sum.under * BigInt(values.length) };
    }
  }
}

/** Days without their offsets, and instants without `Z`, as a longer fraction is later. */
function comparable(value: Json, type: Json): Json {
  if (type === "date") return value.slice(0, 10);
  return type === "datetime" ? value.slice(0, -1) : value;
}

/** The decimal that JSON shows. */
function fractionOf(value: number): Fraction {
  const [digits = "", exponent = "0"] = String(value).split("e");
  const [whole = "", decimals = ""] = digits.split(".");
  const power = Number(exponent) - decimals.length;
  const over = BigInt(whole + decimals);
  return power < 0
    ? { over, under: 10n ** BigInt(-power) }
    : { over: over * 10n ** BigInt(power), under: 1n };
}

const plus = (a: Fraction, b: Fraction): Fraction =>
  a.under === b.under
    ? { over: a.over + b.over, under: a.under }
    : { over: a.over * b.under + b.over * a.under, under: a.under * b.under };

/** The nearest double, by so many digits that the rest cannot matter. */
function published(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  const { over, under } = value as Fraction;
  const magnitude = over < 0n ? -over : over;
  const scaled = (magnitude * 10n ** 1200n) / under;
  const rest = (magnitude * 10n ** 1200n) % under === 0n ? "" : "1";
  return Number(`${over < 0n ? "-" : ""}${scaled}${rest}e${rest === "" ? -1200 : -1201}`);
}

function compareFigures(x: Json, y: Json, direction: string | undefined): number {
  if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
  const isFraction = typeof x === "object";
  const [a, b] = isFraction ? [x.over * y.under, y.over * x.under] : [x, y];
  const order = a === b ? 0 : a < b ? -1 : 1;
  return direction === "desc" ? -order : order;
}

/** By code point, false before true, null last. */
function compareKeys(x: Json, y: Json): number {
  if (x === y) return 0;
  if (x === null || y === null) return x === null ? 1 : -1;
  if (typeof x === "boolean") return x ? 1 : -1;
  const [a, b] = [Array.from(x as string), Array.from(y as string)];
  for (const [index, character] of a.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
