import type { Context } from "hono";
import { sha256 } from "#domain/credential/keys.ts";
import { invalidCursorProblem, type CursorPosition } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { createCursor, openCursor } from "#http/paging.ts";
import { readForm, textOf, type FormValues } from "#admin/form-input.ts";
import { submitForm, sendOutcome, type Outcome } from "#admin/page.ts";
import { pageContext } from "#admin/layout.tsx";
import { findFormRecords } from "#admin/items/form/find-records.ts";
import { isBlank, readItemData } from "#admin/items/form/read-form.ts";
import { nonEmptyTexts } from "#admin/items/form/values.ts";
import { sendItemsDownload, sendSearchDownload } from "#admin/items/list/export.ts";
import { getStoredCollection, itemsPath } from "#admin/items/load-item.ts";
import type { Condition } from "#admin/items/list/filters.ts";
import { readTexts, viewerOf } from "#admin/preferences.ts";
import {
  assertValidData,
  isSharable,
  readAct,
  readData,
  type BulkAct,
  type BulkChange,
} from "./change.ts";
import { StoppedPage } from "./bulk-page.tsx";
import { ConfirmPage, FieldPage, valueField } from "./confirm-page.tsx";
import { describeResult, ProgressPage, ResultPage } from "./progress-page.tsx";
import { readNumber, readReport, reportDocument, type BulkReport } from "./report.ts";
import { runStep } from "./run-step.ts";
import { undoBulk, undoOfRequest } from "./undo.ts";
import {
  ChangedSelection,
  countSelected,
  fixSelection,
  loadSelected,
  readSelection,
  selectionQuery,
  unlessChanged,
  type FixedSelection,
  type Selection,
} from "./selection.ts";

type AdminContext = Context<AdminEnv>;

/** The data that all steps of one bulk action share. */
interface Bulk {
  c: AdminContext;
  compiled: CompiledCollection;
  selection: Selection;
  act: BulkAct;
  form: FormValues;
  listPath: string;
  report: BulkReport;
}

/**
 * Downloads, edits, closes or deletes the selected items, or all items that match. Shows the numbers first. With
 * `sure`, each request changes some items and returns the cursor for the next request. The server stores nothing
 * between the requests.
 */
export async function actOnSelected(c: AdminContext, kind: CollectionKind): Promise<Response> {
  const form = await readForm(c);
  if (textOf(form["act"]) === "undo") {
    if (!roleAllows(c.var.member.role, "write")) throw problem.roleRequired("write");
    return sendOutcome(c, await undoBulk(c, (await getStoredCollection(c, kind)).compiled, form));
  }
  const selection = readSelection(form);
  const basePath = itemsPath(c, kind);
  if (!selection) {
    const flash = { text: readTexts(c).bulk.nothingSelected, isPartial: true };
    return sendOutcome(c, { to: basePath, flash, document: null });
  }
  const { search } = selection;
  const listPath = search === "" ? basePath : `${basePath}?${search}`;
  const { compiled } = await getStoredCollection(c, kind);
  if (textOf(form["act"]) === "download") return downloadSelected(c, compiled, selection);
  if (!roleAllows(c.var.member.role, "write")) throw problem.roleRequired("write");
  const report = readReport(form);
  const bulk: Bulk = { c, compiled, selection, form, listPath, act: readAct(form, kind), report };
  return submitForm(
    c,
    () =>
      nextPart(bulk).catch((error: unknown) => {
        throw error instanceof ChangedSelection ? error.after(reportDocument(report)) : error;
      }),
    (error) => askAgain(bulk, error),
  );
}

function downloadSelected(c: AdminContext, compiled: CompiledCollection, selection: Selection) {
  if (!selection.ids) return sendSearchDownload(c, compiled, selection.query, "spreadsheet");
  const query = selectionQuery(fixSelection(c, compiled, selection));
  return sendItemsDownload(c, compiled, query, "spreadsheet");
}

/** Shows the question again with a problem. If the selection has changed, shows the new one and the results so far. */
async function askAgain(bulk: Bulk, cause: Problem) {
  const { c, act, report } = bulk;
  const { kind } = bulk.compiled.collection;
  const isChanged = cause instanceof ChangedSelection;
  const current = isChanged ? { ...bulk, ...(await getStoredCollection(c, kind)) } : bulk;
  const { collection } = current.compiled;
  const stopped = isChanged ? { act, report } : undefined;
  const pageProps = { ...current, frame: pageContext(c), collection, problem: cause, stopped };
  const field = chosenField(current);
  try {
    const itemCounts = await counts(current, fix(current));
    if (act === "edit" && !field) return <FieldPage {...pageProps} {...itemCounts} />;
    return <ConfirmPage {...pageProps} {...itemCounts} field={field} />;
  } catch (error) {
    if (!isChanged || !(error instanceof Problem)) throw error;
    return <StoppedPage {...pageProps} />;
  }
}

/** Returns the keys of the fields that an edit sets, as far as they are known. */
function editedKeys({ act, form }: Bulk): string[] {
  if (act !== "edit") return [];
  const data = readData(form);
  return data ? Object.keys(data).toSorted() : nonEmptyTexts(form["field"]);
}

const fix = (bulk: Bulk): FixedSelection =>
  fixSelection(bulk.c, bulk.compiled, bulk.selection, editedKeys(bulk));

function chosenField(bulk: Bulk) {
  const [key, ...others] = editedKeys(bulk);
  if (others.length > 0) return undefined;
  const { fields } = bulk.compiled.collection.definition.fields;
  return fields.find((field) => isSharable(field) && field.key === key);
}

/** Asks for missing input, or changes the next items. */
async function nextPart(bulk: Bulk): Promise<Outcome> {
  const { compiled, act, form } = bulk;
  if (textOf(form["sure"]) !== "") {
    const step = await readStep(bulk);
    const selection = await fixConfirmed(bulk, step.mark);
    const change = await readChange(bulk);
    if (change) return runBulk(bulk, selection, change, step.from);
  }
  const { mark, ...itemCounts } = await counts(bulk, fix(bulk));
  const pageProps = { ...bulk, ...itemCounts, mark, collection: compiled.collection };
  const { matches, allowed } = itemCounts;
  const isDescribed = act !== "edit" || editedKeys(bulk).length > 0;
  const document = { matches, allowed, ...(isDescribed ? { mark } : {}) };
  if (allowed.exact && allowed.count === 0) {
    const text = readTexts(bulk.c).bulk.appliesToNone(act, matches.count);
    return { to: bulk.listPath, flash: { text, isPartial: true }, document };
  }
  const field = chosenField(bulk);
  if (act === "edit" && !field) {
    return { page: (frame) => <FieldPage frame={frame} {...pageProps} />, document };
  }
  return { page: (frame) => <ConfirmPage frame={frame} {...pageProps} field={field} />, document };
}

const bindingOf = ({ c, act, selection: { ids, search } }: Bulk): string =>
  `bulk ${c.req.path} ${act} ${ids?.join() ?? search}`;

interface Step {
  /** The mark of the selection that the member confirmed. Undefined for a script that confirms none. */
  mark: string | undefined;
  /** The position to continue from. Null at the start. */
  from: CursorPosition | null;
}

async function readStep(bulk: Bulk): Promise<Step> {
  const { c, form } = bulk;
  const cursorText = textOf(form["from"]);
  if (cursorText === "") return { mark: textOf(form["mark"]) || undefined, from: null };
  const cursor = await openCursor(c, bindingOf(bulk), cursorText);
  if (!cursor) throw invalidCursorProblem();
  const [mark, ...from] = cursor.position;
  return { mark: String(mark), from };
}

/**
 * Fixes the selection, which must still have the mark that the member confirmed. A mark is a SHA-256, so nobody can build
 * another selection with the same mark.
 */
async function fixConfirmed(bulk: Bulk, mark: string | undefined): Promise<FixedSelection> {
  if (mark === undefined) return fix(bulk);
  const selection = unlessChanged(() => fix(bulk));
  if ((await markOf(selection)) !== mark) throw new ChangedSelection();
  return selection;
}

const markOf = ({ meaning }: FixedSelection): Promise<string> => sha256(meaning);

/** Counts the selected items, and the selected items whose status allows the action. */
async function counts({ c, compiled, act }: Bulk, selection: FixedSelection) {
  const condition = allowedStatus(compiled, act);
  const [matches, allowed, named] = await Promise.all([
    countSelected(c, compiled, selection),
    condition && countSelected(c, compiled, selection, [condition]),
    // The page lists the items that were selected one by one, and the current values of a field.
    selection.ids || act === "edit" ? loadSelected(c, compiled, selection) : [],
  ]);
  return { matches, allowed: allowed ?? matches, named, mark: await markOf(selection) };
}

function allowedStatus({ collection }: CompiledCollection, act: BulkAct): Condition | null {
  if (collection.kind === "app") return null;
  if (act === "reopen") return { field: "$status", op: "eq", value: "closed" };
  return act === "close"
    ? { field: "$status", op: "eq", value: "submitted" }
    : { field: "$status", op: "ne", value: "closed" };
}

/** Reads the change from the form. Null while the value of an edit is missing. */
async function readChange(bulk: Bulk): Promise<BulkChange | null> {
  const { compiled, act, form } = bulk;
  if (act !== "edit") return { act };
  const data = readData(form) ?? (await readFieldInput(bulk));
  if (!data) return null;
  if (form["from"] === undefined) assertValidData(compiled, data);
  return { act, data };
}

/** Reads the value of the chosen field from the input `value`. */
async function readFieldInput(bulk: Bulk): Promise<Record<string, unknown> | null> {
  const field = chosenField(bulk);
  if (!field) return null;
  const input = valueField(field);
  const { form } = await findFormRecords(bulk.c.var.action, bulk.compiled.collection, bulk.form, [
    input,
  ]);
  const { zone } = viewerOf(bulk.c);
  const value = readItemData([input], form, zone)[input.key];
  if (isBlank(value ?? null) && textOf(form["clear"]) === "") {
    const { blank } = readTexts(bulk.c).bulk;
    throw problem.invalidInput([errorAt([input.key], "required", blank)]);
  }
  return { [field.key]: value };
}

async function runBulk(
  bulk: Bulk,
  selection: FixedSelection,
  change: BulkChange,
  from: CursorPosition | null,
): Promise<Outcome> {
  const { c, compiled, form, listPath, report } = bulk;
  const total = readNumber(form, "total") || (await countSelected(c, compiled, selection)).count;
  const position = await runStep({ c, selection, change, report }, compiled, from);
  const document = reportDocument(report);
  const pageProps = { collection: compiled.collection, selection, change, report, listPath, total };
  if (position) {
    const next = await createCursor(c, bindingOf(bulk), [await markOf(selection), ...position]);
    return {
      page: (frame) => <ProgressPage frame={frame} {...pageProps} next={next} />,
      document: { ...document, next },
    };
  }
  const result = describeResult(compiled.collection, change, report, {
    text: readTexts(c),
    viewer: viewerOf(c),
  });
  const { act } = change;
  const isUndoable = from === null && report.done > 0;
  const { requestId } = c.var;
  const undo = isUndoable
    ? undoOfRequest(listPath, act, { requestId, count: report.done })
    : undefined;
  const flash = { ...result, undo };
  // A result that fits a flash message needs no separate page.
  if (from === null && report.refused <= maxFlashRefusals) {
    return { to: listPath, flash, document: { ...document, next: null } };
  }
  return {
    page: (frame) => <ResultPage frame={frame} {...pageProps} />,
    document: { ...document, next: null },
  };
}

const maxFlashRefusals = 5;
