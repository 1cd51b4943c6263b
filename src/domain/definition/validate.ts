import { fieldDocument } from "./document.ts";
import { compileCollection, defaultErrors } from "#domain/data/compile.ts";
import { maxFieldId } from "#domain/data/values.ts";
import { maxDefinitionSteps } from "#domain/formula/compile.ts";
import { analyzePattern } from "#domain/pattern/pattern.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import {
  type CollectionKind,
  type Definition,
  closedReason,
  type Collection,
  type PendingState,
  type Progress,
} from "./collection.ts";
import { collectionKeyPattern } from "./document.ts";
import { checkDefinition } from "./parse-definition.ts";
import { type Field, type FieldSet, definitionError } from "./field.ts";
import { withColumns } from "./merge-rules.ts";
import { mergeDefinition, type MergedDefinition } from "./merge.ts";
import type { Precondition } from "#domain/preconditions.ts";
import { viewErrors } from "#domain/search/view-errors.ts";
import { reasonFor, type Reason } from "#domain/problem/reasons.ts";

/** The maximum number of current and retired fields, including columns of line items. */
const maxFields = 2000;
const maxDefinitionBytes = 1_000_000;
/** The maximum number of states of all patterns of a definition in total. */
const maxPatternStates = 10_000;
/**
 * The maximum number of character classes. Each class becomes a separate regular expression, which takes about 100 µs
 * to create.
 */
const maxCharacterClasses = 500;
/** The maximum number of cells in all line items of one item. It limits the size of an item's response. */
const maxCells = 100_000;
/** The maximum size that defaults can give an item, as JSON. */
const maxDefaultBytes = 500_000;
const maxFormulaLength = 50_000;

/**
 * Applies a document to the current definition (null for a new collection) and validates the result. What the document
 * omits stays as it is in the pending definition, if a change is pending.
 * @throws Problem `invalid_input` with every error. No body causes any other exception.
 */
export function validateDefinition(
  kind: CollectionKind,
  key: string,
  current: Definition | null,
  body: unknown,
  pending: Definition | null = null,
): MergedDefinition {
  if (!collectionKeyPattern.test(key)) {
    throw problem.invalidInput([
      definitionError(["key"], reasonFor("keyFormat", { pattern: collectionKeyPattern.source })),
    ]);
  }
  const { document, errors } = checkDefinition(kind, key, body);
  if (!document) throw problem.invalidInput(errors);
  const mergeResult = mergeDefinition(kind, key, current, document, pending);
  const { definition } = mergeResult;
  const oversizeErrors = sizeErrors(definition.fields);
  // Compiling an oversized definition would take too long.
  const compileErrors = oversizeErrors.length > 0 ? [] : compiledErrors(kind, key, definition);
  const allErrors = [
    ...errors,
    ...mergeResult.errors,
    ...oversizeErrors,
    ...compileErrors,
    ...(mergeResult.errors.length > 0 ? [] : viewErrors(kind, key, definition, [current, pending])),
  ];
  if (allErrors.length > 0) throw problem.invalidInput(allErrors);
  return mergeResult;
}

const fieldsError = (reason: Reason) => definitionError(["fields"], reason);

function sizeErrors(fieldSet: FieldSet): FieldError[] {
  const errors: FieldError[] = [];
  const addError = (reason: Reason) => errors.push(fieldsError(reason));
  const allFields = [...fieldSet.fields, ...fieldSet.retired];
  const fields = allFields.flatMap(withColumns);
  if (fields.length > maxFields) {
    addError(reasonFor("tooManyFields", { maximum: maxFields, fields: fields.length }));
  }
  if (storedBytes(fieldSet) > maxDefinitionBytes) {
    addError(reasonFor("definitionTooLarge", { maximum: maxDefinitionBytes }));
  }
  if (fieldSet.next > maxFieldId) addError(reasonFor("noMoreFields"));
  errors.push(...patternSizeErrors(fieldSet));
  const lists = fieldSet.fields.filter((field) => field.type === "line_items");
  const cellCount = lists.reduce(
    (sum, { fields: columns, max_rows }) => sum + columns.length * max_rows,
    0,
  );
  if (cellCount > maxCells) {
    addError(reasonFor("tooManyCells", { maximum: maxCells, cells: cellCount }));
  }
  const bytes = fieldSet.fields.reduce((sum, field) => sum + defaultBytes(field), 0);
  if (bytes > maxDefaultBytes) {
    addError(reasonFor("defaultsTooLarge", { maximum: maxDefaultBytes, bytes }));
  }
  const length = fieldSet.fields
    .flatMap(withColumns)
    .reduce((sum, field) => sum + formulaLength(field), 0);
  if (length > maxFormulaLength) {
    addError(reasonFor("formulasTooLong", { maximum: maxFormulaLength, length }));
  }
  return errors;
}

/** Checks the sizes of all patterns together. */
function patternSizeErrors({ fields }: FieldSet): FieldError[] {
  const errors: FieldError[] = [];
  const analyses = fields.flatMap(withColumns).flatMap(patternsOf).map(analyzePattern);
  const stateCount = analyses.reduce((sum, analysis) => sum + (analysis.stateCount ?? 0), 0);
  if (stateCount > maxPatternStates) {
    const reason = reasonFor("tooManyStatesTogether", {
      maximum: maxPatternStates,
      states: stateCount,
    });
    errors.push(fieldsError(reason));
  }
  const classes = new Set(analyses.flatMap(({ characterClasses = [] }) => [...characterClasses]));
  if (classes.size > maxCharacterClasses) {
    const reason = reasonFor("tooManyClasses", {
      maximum: maxCharacterClasses,
      classes: classes.size,
    });
    errors.push(fieldsError(reason));
  }
  return errors;
}

/** Returns the stored size without former options, which have their own limit. */
function storedBytes(fieldSet: FieldSet): number {
  const json = JSON.stringify(fieldSet, (name, value: unknown) =>
    name === "formerOptions" ? undefined : value,
  );
  return new TextEncoder().encode(json).length;
}

/** Counts the default of a column once for each possible row. */
function defaultBytes(field: Field): number {
  const ownBytes = field.default === undefined ? 0 : JSON.stringify(field.default).length;
  if (field.type !== "line_items") return ownBytes;
  const rowBytes = field.fields.reduce((sum, column) => sum + defaultBytes(column), 0);
  return ownBytes + rowBytes * field.max_rows;
}

function formulaLength(field: Field): number {
  return field.type === "computed" ? field.formula.length : 0;
}

function patternsOf(field: Field): string[] {
  if (field.type !== "text" && field.type !== "multiline_text") return [];
  return field.pattern === undefined ? [] : [field.pattern];
}

/** Reports errors in defaults and formulas. Rejected patterns match everything here, so they cause no second error. */
function compiledErrors(kind: CollectionKind, key: string, definition: Definition): FieldError[] {
  const { fields } = compileCollection({
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
  if (fields.maxSteps > maxDefinitionSteps) {
    const reason = reasonFor("formulasTooSlow", {
      maximum: maxDefinitionSteps,
      steps: fields.maxSteps,
    });
    errors.push(definitionError(["fields"], reason));
  }
  return errors;
}

/**
 * Returns the ETag of a schema document, like `"7-open"`. It contains the version and the state that changes without a
 * new version: whether the form accepts submissions, the indexing progress and the pending change.
 */
export function formatDefinitionEtag(
  { kind, version, definition }: Collection,
  submissionCount: number,
  indexing: Progress | null,
  pending: PendingState | null,
  now: number,
): string {
  const reason = kind === "form" ? closedReason(definition.acceptance, submissionCount, now) : null;
  const indexingPart = indexing ? `.${indexing.done}` : "";
  const pendingPart = pending ? `.${pending.problem === null ? pending.done : "dropped"}` : "";
  return `"${version}-${reason ?? "open"}${indexingPart}${pendingPart}"`;
}

/** Whether a precondition names this version of a definition. Ignores the rest of each tag. */
export function matchesVersion(precondition: Precondition, version: number): boolean {
  if (precondition === "*") return true;
  return precondition.some((tag) => /^"(\d+)(-.*)?"$/.exec(tag)?.[1] === String(version));
}

/**
 * Returns a text that identifies a definition by its public content, without field ids. Equal fingerprints mean the
 * same change.
 */
export function definitionFingerprint(
  kind: Collection["kind"],
  { fields, retain = null, views = [], ...properties }: Definition,
): string {
  const rule = retain && [retain.days, retain.only];
  return JSON.stringify([kind, properties, rule, views, fields.fields.map(fieldDocument)]);
}
