import type { Environment, ParseResult } from "@marcbachmann/cel-js";
import type { ComputedField, Field, RowField } from "../definition/field";
import type { FieldError } from "../problem";
import { errorAt } from "../field-errors";
import { isStorable, storable } from "../text";
import { idsOf, stepsOf, strangePart } from "./syntax";
import { decimalLiterals } from "./literals";
import { empty, formulaEnvironment } from "./environment";

/** A formula that is ready to run on the values of an item or a row. */
export interface Formula {
  field: ComputedField;
  run(values: Record<string, unknown>): unknown;
}

/** Formulas in an order in which each comes after those that it uses. */
export interface Formulas {
  order: Formula[];
  /** How many parts of formulas are gone through for one item, at the most. */
  steps: number;
  errors: FieldError[];
}

/** What a definition's formulas may take for one item: some 0.2 s, so that no definition stops the service. */
export const mostSteps = 2_000_000;
type Path = readonly (string | number)[];

/** Makes a row of line items into what a formula sees. */
export type RowClass = new (values: Record<string, unknown>) => object;

let base: Environment | undefined;

/** The environment is costly to make, so one is made and copied; `today` is set for each run. */
function environmentOf(): Environment {
  base ??= formulaEnvironment().registerFunction("today(): string", () => today);
  return base.clone();
}

let today = "";

/** Runs formulas on a day, `YYYY-MM-DD`. Nothing is awaited in between, so that no other day comes in. */
export function onDay<T>(day: string, run: () => T): T {
  today = day;
  return run();
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
  if (computed.length === 0) return { order: [], steps: 0, errors: [] };
  const environment = environmentOf();
  for (const field of fields) register(environment, field, rowClasses);
  const parsed = computed.map(({ field, at }) => ({ field, at, ...parse(environment, field, at) }));
  const errors = parsed.flatMap((each) => each.errors);
  if (errors.length > 0) return { order: [], steps: 0, errors };
  return inOrder(parsed);
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
      return "double";
    case "boolean":
      return "bool";
    case "multi_select":
      return "list<string>";
    case "line_items":
      return `list<row${field.id}>`;
    case "computed":
      return {
        number: "double",
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

/** The class of a list's rows; a column that is empty throws when it is read. */
export function rowClassOf(fields: readonly RowField[]): RowClass {
  const keys = fields.filter(isNamed).map((field) => field.key);
  return function Row(this: object, values: Record<string, unknown>) {
    for (const key of keys) define(this, key, values[key]);
  } as unknown as RowClass;
}

/** What formulas see of values: an empty one throws when it is read. */
export function contextOf(values: Record<string, unknown>): Record<string, unknown> {
  const context: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) define(context, key, value);
  return context;
}

export function define(target: object, key: string, value: unknown): void {
  const own = value === undefined ? { get: empty } : { value };
  Object.defineProperty(target, key, { ...own, enumerable: true, configurable: true });
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
  const source = decimalLiterals(field.formula);
  try {
    if (!isStorable(field.formula)) return refuse(`It must be ${storable}.`);
    const formula = environment.parse(source.text);
    const strange = strangePart(formula.ast);
    if (strange) return refuse(strange.reason, source.before(strange.position));
    const checked = formula.check();
    if (!checked.valid)
      return refuse(`${checked.error?.summary}.`, source.before(checked.error?.range?.start));
    const [given = "dyn", wanted] = [checked.type, typeOf(field)];
    const fits = given === wanted || given === "dyn" || (given === "int" && wanted === "double");
    return fits
      ? { formula, errors: [] }
      : refuse(`It gives ${given}, and "result" says ${field.result}.`);
  } catch (error) {
    const { summary, range } = error as { summary?: string; range?: { start: number } };
    return refuse(`${summary ?? "It cannot be read"}.`, source.before(range?.start));
  }
}

/** Each formula after those that it uses; a cycle is refused. */
function inOrder(parsed: { field: ComputedField; at: Path; formula?: ParseResult }[]): Formulas {
  const order: Formula[] = [];
  const done = new Set<string>();
  let left = parsed;
  while (left.length > 0) {
    const waiting = new Set(left.map(({ field }) => field.key));
    const ready = left.filter(({ formula }) => !idsIn(formula).some((id) => waiting.has(id)));
    if (ready.length === 0) {
      const keys = left.map(({ field }) => field.key).join(", ");
      const reason = `These formulas use each other in a circle: ${keys}.`;
      return {
        order: [],
        steps: 0,
        errors: left.map(({ at }) => errorAt(at, "invalid_definition", reason)),
      };
    }
    for (const { field, formula } of ready) {
      if (formula) order.push({ field, run: (values) => formula(values) as unknown });
      done.add(field.key);
    }
    left = left.filter(({ field }) => !done.has(field.key));
  }
  const steps = parsed.reduce((sum, { formula }) => sum + (formula ? stepsOf(formula.ast) : 0), 0);
  return { order, steps, errors: [] };
}

function idsIn(formula: ParseResult | undefined): string[] {
  return formula ? idsOf(formula.ast) : [];
}
