import type { Environment, ParseResult } from "@marcbachmann/cel-js";
import type { Data, Row, Value } from "#domain/data/values.ts";
import { valueType, type ComputedField, type Field, type RowField } from "#domain/definition/field.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { errorAt, shortened } from "#domain/problem/field-errors.ts";
import { isStorable, storable } from "#domain/text.ts";
import { Decimal } from "./arithmetic.ts";
import { empty, formulaEnvironment } from "./environment.ts";
import { countSteps, inDecimals, idsOf, stepsOf, strangePart } from "./rewrite.ts";

/** A formula that is ready to run on the values of an item or a row. */
export interface Formula {
  field: ComputedField;
  /** Takes what is `seen` of an item or a row. */
  run(seen: object): unknown;
}

/** Formulas in an order in which each comes after those that it uses. */
export interface Formulas {
  order: Formula[];
  /** Makes the data of an item or a row into what they see. */
  seen: RowClass;
  /** How many parts of formulas are gone through for one item, at the most. */
  steps: number;
  errors: FieldError[];
}

/** What a definition's formulas may look like taking for one item, counted as if each list had 500 rows. */
export const mostDefinedSteps = 2_000_000;

type Path = readonly (string | number)[];

/** Makes an item or a row of line items into what a formula sees; it is read when the formula runs. */
export type RowClass = new (row: Data) => object;

let base: Environment | undefined;

/** The environment is costly to make, so one is made and copied. */
function environmentOf(): Environment {
  base ??= formulaEnvironment();
  return base.clone();
}

/** Compiles the formulas among these fields; `rowClasses` are those of the line items among them. */
export function compileFormulas(
  fields: readonly Field[],
  rowClasses: ReadonlyMap<number, RowClass>,
  path: Path,
): Formulas {
  const computed = fields.flatMap((field, index) =>
    field.type === "computed" ? [{ field, at: [...path, index, "formula"] }] : [],
  );
  const seen = seenClass(fields, rowClasses);
  const nothing = { order: [], seen, steps: 0 };
  if (computed.length === 0) return { ...nothing, errors: [] };
  const environment = environmentOf();
  for (const field of fields) register(environment, field, rowClasses);
  const parsed = computed.map(({ field, at }) => ({ field, at, ...parse(environment, field, at) }));
  const errors = parsed.flatMap((each) => each.errors);
  return errors.length > 0 ? { ...nothing, errors } : { seen, ...inOrder(parsed) };
}

function register(
  environment: Environment,
  field: Field,
  rowClasses: ReadonlyMap<number, RowClass>,
): void {
  const rowClass = rowClasses.get(field.id);
  try {
    if (field.type === "line_items" && rowClass) {
      const types = field.fields.filter(isNamed).map((row) => [row.key, typeOf(row)]);
      environment.registerType(`row${field.id}`, {
        ctor: rowClass,
        fields: Object.fromEntries(types) as never,
      });
    }
    environment.registerVariable(field.key, typeOf(field));
  } catch {
    // A key that is a word of the language cannot be spoken of in it; a formula that does is refused.
  }
}

/** Keys that every object has by birth stand for something else in the language. */
function isNamed({ key }: Field): boolean {
  return !(key in {});
}

function typeOf(field: Field): string {
  switch (field.type) {
    case "number":
      return "decimal";
    case "boolean":
      return "bool";
    case "multi_select":
      return "list<string>";
    case "line_items":
      return `list<row${field.id}>`;
    case "computed":
      return {
        number: "decimal",
        boolean: "bool",
        text: "string",
        date: "string",
        datetime: "string",
      }[field.result];
    case "text":
    case "multiline_text":
    case "date":
    case "datetime":
    case "email":
    case "url":
    case "phone":
    case "select":
      return "string";
  }
}

/** What formulas see of the rows of a list. */
export function rowClassOf(fields: readonly RowField[]): RowClass {
  return seenClass(fields.filter(isNamed), new Map());
}

/** What formulas see of stored data, made when it is read; what is empty throws. */
function seenClass(fields: readonly Field[], rowClasses: ReadonlyMap<number, RowClass>): RowClass {
  class Seen {
    readonly $data: Data;
    constructor(data: Data) {
      this.$data = data;
    }
  }
  for (const field of fields) {
    const rowClass = rowClasses.get(field.id);
    const slot = String(field.id);
    const get = rowClass
      ? function get(this: Seen) {
          const rows = ((this.$data[slot] ?? []) as Row[]).map((row) => new rowClass(row));
          Object.defineProperty(this, field.key, { value: rows });
          return rows;
        }
      : function get(this: Seen) {
          return seenValue(field, this.$data[slot]) ?? empty();
        };
    // A key that stands twice is refused where definitions are judged, and so it may stand here.
    Object.defineProperty(Seen.prototype, field.key, { get, configurable: true });
  }
  return Seen;
}

/** Numbers are exact decimals, and dates their day, so that they compare with `today()`. */
function seenValue(field: Field, value: Value | undefined): unknown {
  if (field.type === "multi_select") return value ?? [];
  if (typeof value === "number") return new Decimal(value);
  const isDate = valueType(field) === "date";
  return isDate && typeof value === "string" ? value.slice(0, 10) : value;
}

interface Parsed {
  formula?: ParseResult;
  errors: FieldError[];
}

function parse(environment: Environment, field: ComputedField, at: Path): Parsed {
  const refuse = (reason: string, position?: number): Parsed => {
    const where = position === undefined ? {} : { position };
    return { errors: [errorAt(at, "invalid_definition", reason, where)] };
  };
  try {
    if (!isStorable(field.formula)) return refuse(`It must be ${storable}.`);
    const formula = environment.parse(field.formula);
    const strange = strangePart(formula.ast);
    if (strange) return refuse(strange.reason, strange.position);
    inDecimals(formula.ast);
    const checked = formula.check();
    if (!checked.valid) return refuse(`${checked.error?.summary}.`, checked.error?.range?.start);
    countSteps(formula.ast);
    const [given = "dyn", wanted] = [checked.type, typeOf(field)];
    return given === wanted || given === "dyn"
      ? { formula, errors: [] }
      : refuse(`It gives ${given}, and "result" says ${field.result}.`);
  } catch (error) {
    const { summary, range } = error as { summary?: string; range?: { start: number } };
    return refuse(`${summary ?? "It cannot be read"}.`, range?.start);
  }
}

/** Each formula after those that it uses (Kahn, 1962); a cycle is refused. */
function inOrder(
  parsed: { field: ComputedField; at: Path; formula?: ParseResult }[],
): Omit<Formulas, "seen"> {
  const byKey = new Map(parsed.map((each) => [each.field.key, each]));
  const waiting = new Map<string, number>();
  const users = new Map<string, string[]>();
  for (const { field, formula } of parsed) {
    const used = [...new Set(formula ? idsOf(formula.ast) : [])].filter((id) => byKey.has(id));
    waiting.set(field.key, used.length);
    for (const id of used) users.set(id, [...(users.get(id) ?? []), field.key]);
  }
  const order: Formula[] = [];
  const ready = parsed.map(({ field }) => field.key).filter((key) => waiting.get(key) === 0);
  for (const key of ready) {
    const { field, formula } = byKey.get(key) ?? {};
    if (field && formula) order.push({ field, run: (seen) => formula(seen) as unknown });
    for (const user of users.get(key) ?? []) {
      const left = (waiting.get(user) ?? 0) - 1;
      waiting.set(user, left);
      if (left === 0) ready.push(user);
    }
  }
  const circle = parsed.filter(({ field }) => (waiting.get(field.key) ?? 0) > 0);
  if (circle.length > 0) {
    const keys = circle.map(({ field }) => field.key).join(", ");
    const reason = `These formulas use each other in a circle: ${shortened(keys)}.`;
    const errors = circle.map(({ at }) => errorAt(at, "invalid_definition", reason));
    return { order: [], steps: 0, errors };
  }
  const steps = parsed.reduce((sum, { formula }) => sum + (formula ? stepsOf(formula.ast) : 0), 0);
  return { order, steps, errors: [] };
}
