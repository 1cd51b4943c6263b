import { compile, defaultErrors } from "#domain/data/compile.ts";
import { lastFieldId } from "#domain/data/values.ts";
import { mostDefinedSteps } from "#domain/formula/compile.ts";
import { tryPattern } from "#domain/pattern/pattern.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import { type CollectionKind, type Definition, closedReason, type Collection, type PendingState, type Progress } from "./collection.ts";
import { collectionKey, parseDefinition } from "./document.ts";
import { type Field, type FieldSet, invalid } from "./field.ts";
import { mergeDefinition, type Merged } from "./merge.ts";
import type { Precondition } from "#domain/preconditions.ts";

/** Fields that are defined or retired, those of rows included. */
const mostFields = 2000;
const mostDefinitionBytes = 1_000_000;
/** States of all patterns of a definition. */
const mostStates = 10_000;
/** Cells that the line items of one item can have: what it is shown as is bounded by them. */
/** Each is a regular expression of its own, which takes some 100 µs to make. */
const mostClasses = 500;
const mostCells = 100_000;
/** What defaults can make of an item, as JSON. */
const mostDefaultBytes = 500_000;
const mostFormulaLength = 50_000;

/**
 * A document applied to what is defined now (null for a new collection).
 * @throws Problem `invalid_input` with everything that is wrong with it, and nothing else, whatever is sent.
 */
export function judgeDefinition(
  kind: CollectionKind,
  key: string,
  current: Definition | null,
  body: unknown,
): Merged {
  if (!collectionKey.test(key)) {
    throw problem.invalidInput([invalid(["key"], `Must match ${collectionKey.source}.`)]);
  }
  const { document, errors } = parseDefinition(kind, key, body);
  if (!document) throw problem.invalidInput(errors);
  const merged = mergeDefinition(kind, key, current, document);
  const { definition } = merged;
  const oversize = sizeErrors(definition.fields);
  // What is too large costs no more than finding that out.
  const deeper = oversize.length > 0 ? [] : compiledErrors(kind, key, definition);
  const all = [...errors, ...merged.errors, ...oversize, ...deeper];
  if (all.length > 0) throw problem.invalidInput(all);
  return merged;
}

function sizeErrors(set: FieldSet): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (reason: string) => errors.push(invalid(["fields"], reason));
  const all = [...set.fields, ...set.retired];
  const fields = all.flatMap(withColumns);
  if (fields.length > mostFields) {
    refuse(
      `With its retired fields a definition has at most ${mostFields} fields; this one would have ${fields.length}.`,
    );
  }
  if (new TextEncoder().encode(JSON.stringify(set)).length > mostDefinitionBytes) {
    refuse(`With its retired fields a definition has at most ${mostDefinitionBytes} bytes.`);
  }
  if (set.next > lastFieldId) refuse("This definition has had all the fields that it can have.");
  const patterns = set.fields.flatMap(withColumns).flatMap(patternOf).map(tryPattern);
  const states = patterns.reduce((sum, pattern) => sum + (pattern.states ?? 0), 0);
  if (states > mostStates) {
    refuse(`Its patterns take ${states} states together; at most ${mostStates} are allowed.`);
  }
  const classes = new Set(patterns.flatMap((pattern) => [...(pattern.classes ?? [])]));
  if (classes.size > mostClasses) {
    refuse(
      `Its patterns have ${classes.size} different classes of characters; at most ${mostClasses} are allowed.`,
    );
  }
  const lists = set.fields.filter((field) => field.type === "line_items");
  const cells = lists.reduce(
    (sum, { fields: columns, max_rows }) => sum + columns.length * max_rows,
    0,
  );
  if (cells > mostCells) {
    refuse(
      `Its line items have up to ${cells} cells (columns times max_rows); at most ${mostCells} are allowed.`,
    );
  }
  const defaults = set.fields.reduce((sum, field) => sum + defaultBytes(field), 0);
  if (defaults > mostDefaultBytes) {
    refuse(
      `Its defaults make up to ${defaults} bytes of an item; at most ${mostDefaultBytes} are allowed.`,
    );
  }
  const formulas = set.fields
    .flatMap(withColumns)
    .reduce((sum, field) => sum + formulaLength(field), 0);
  if (formulas > mostFormulaLength) {
    refuse(`Its formulas have ${formulas} characters; at most ${mostFormulaLength} are allowed.`);
  }
  return errors;
}

/** Of a row's column, as often as there can be rows. */
function defaultBytes(field: Field): number {
  const own = field.default === undefined ? 0 : JSON.stringify(field.default).length;
  if (field.type !== "line_items") return own;
  const row = field.fields.reduce((sum, column) => sum + defaultBytes(column), 0);
  return own + row * field.max_rows;
}

function formulaLength(field: Field): number {
  return field.type === "computed" ? field.formula.length : 0;
}

function withColumns(field: Field): Field[] {
  return field.type === "line_items" ? [field, ...field.fields, ...field.retired] : [field];
}

function patternOf(field: Field): string[] {
  if (field.type !== "text" && field.type !== "multiline_text") return [];
  return field.pattern === undefined ? [] : [field.pattern];
}

/** What its defaults and formulas are wrong with; patterns that are refused already match everything here. */
function compiledErrors(kind: CollectionKind, key: string, definition: Definition): FieldError[] {
  const { fields } = compile({
    id: 0,
    kind,
    key,
    version: 0,
    revision: 0,
    pending: null,
    stamp: "",
    fieldsVersion: 0,
    definition,
  });
  const errors = [...defaultErrors(fields), ...fields.formulaErrors];
  if (fields.steps > mostDefinedSteps) {
    const reason = `The formulas take up to ${fields.steps} steps for one item; at most ${mostDefinedSteps} are allowed.`;
    errors.push(invalid(["fields"], reason));
  }
  return errors;
}

/**
 * The tag of a schema document, `"7-open"`: the version, and what else the document tells, which changes with the clock,
 * the count of submissions and the work that is under way.
 */
export function definitionTag(
  { kind, version, definition }: Collection,
  live: number,
  indexing: Progress | null,
  pending: PendingState | null,
  now: number,
): string {
  const closed = kind === "form" ? closedReason(definition.acceptance, live, now) : null;
  const work = indexing ? `.${indexing.done}` : "";
  const change = pending ? `.${pending.problem === null ? pending.done : "dropped"}` : "";
  return `"${version}-${closed ?? "open"}${work}${change}"`;
}

/** Whether a precondition names this version of a definition, whatever else its tags tell. */
export function namesVersion(precondition: Precondition, version: number): boolean {
  if (precondition === "*") return true;
  return precondition.some((tag) => /^"(\d+)(-.*)?"$/.exec(tag)?.[1] === String(version));
}
