import type { Context } from "hono";
import { invalidCursorProblem } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { isObject } from "#domain/json.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { createCursor, openCursor } from "#http/paging.ts";
import { numberOf, readForm, textOf, type FormValues } from "#admin/form-input.ts";
import { submitForm, sendOutcome, type Outcome } from "#admin/page.ts";
import { pageContext } from "#admin/layout.tsx";
import { findFormRecords } from "#admin/items/form/find-records.ts";
import { isBlank, readItemData } from "#admin/items/form/read-form.ts";
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
import { ConfirmPage, FieldPage, valueField } from "./confirm-page.tsx";
import { describeResult, ProgressPage, ResultPage } from "./progress-page.tsx";
import {
  emptyReport,
  maxRefusals,
  runStep,
  type BulkReport,
  type RejectedItem,
} from "./run-step.ts";
import { undoBulk, undoOfRequest } from "./undo.ts";
import {
  countSelected,
  loadSelected,
  readSelection,
  selectionQuery,
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
  const bulk: Bulk = { c, compiled, selection, form, listPath, act: readAct(form, kind) };
  return submitForm(
    c,
    () => nextPart(bulk),
    async (error) => {
      const frame = pageContext(c);
      const pageProps = { ...bulk, frame, collection: compiled.collection, problem: error };
      const field = chosenField(bulk);
      if (bulk.act === "edit" && !field)
        return <FieldPage {...pageProps} {...await counts(bulk)} />;
      return <ConfirmPage {...pageProps} {...await counts(bulk)} field={field} />;
    },
  );
}

function downloadSelected(c: AdminContext, compiled: CompiledCollection, selection: Selection) {
  if (!selection.ids) return sendSearchDownload(c, compiled, selection.query, "spreadsheet");
  const query = selectionQuery(c, compiled, selection);
  return sendItemsDownload(c, compiled, query, "spreadsheet");
}

const chosenField = ({ compiled, form }: Bulk) =>
  compiled.collection.definition.fields.fields.find(
    (field) => isSharable(field) && field.key === textOf(form["field"]),
  );

/** Asks for missing input, or changes the next items. */
async function nextPart(bulk: Bulk): Promise<Outcome> {
  const { compiled, act, form } = bulk;
  const change = await readChange(bulk);
  if (change && textOf(form["sure"]) !== "") return runBulk(bulk, change);
  const itemCounts = await counts(bulk);
  const pageProps = { ...bulk, ...itemCounts, collection: compiled.collection };
  const document = { matches: itemCounts.matches, allowed: itemCounts.allowed };
  if (itemCounts.allowed.exact && itemCounts.allowed.count === 0) {
    const text = readTexts(bulk.c).bulk.appliesToNone(act, itemCounts.matches.count);
    return { to: bulk.listPath, flash: { text, isPartial: true }, document };
  }
  const field = chosenField(bulk);
  if (act === "edit" && !field) {
    return { page: (frame) => <FieldPage frame={frame} {...pageProps} />, document };
  }
  return { page: (frame) => <ConfirmPage frame={frame} {...pageProps} field={field} />, document };
}

/** Counts the selected items, and the selected items whose status allows the action. */
async function counts({ c, compiled, selection, act }: Bulk) {
  const condition = allowedStatus(compiled, act);
  const [matches, allowed, named] = await Promise.all([
    countSelected(c, compiled, selection),
    condition && countSelected(c, compiled, selection, [condition]),
    // The page lists the items that were selected one by one, and the current values of a field.
    selection.ids || act === "edit" ? loadSelected(c, compiled, selection) : [],
  ]);
  return { matches, allowed: allowed ?? matches, named };
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
  if (!data || textOf(form["sure"]) === "") return null;
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
  if (isBlank(value ?? null) && textOf(form["sure"]) !== "" && textOf(form["clear"]) === "") {
    const { blank } = readTexts(bulk.c).bulk;
    throw problem.invalidInput([errorAt([input.key], "required", blank)]);
  }
  return { [field.key]: value };
}

const maxTotal = 1_000_000_000;

const readNumber = (form: FormValues, name: string) =>
  Math.min(maxTotal, Math.max(0, Math.trunc(numberOf(form[name])) || 0));

/**
 * Reads the report of the earlier steps, which the form contains. Only the member who sends it sees it, so it needs no
 * signature.
 */
function readReport(form: FormValues): BulkReport {
  if (form["from"] === undefined) return emptyReport();
  const [done, unchanged] = [readNumber(form, "done"), readNumber(form, "unchanged")];
  return { done, unchanged, refused: readNumber(form, "refused"), refusals: readRefusals(form) };
}

function readRefusals(form: FormValues): RejectedItem[] {
  const formValue = form["refusals"];
  try {
    const parsed: unknown = typeof formValue === "string" ? JSON.parse(formValue) : formValue;
    return Array.isArray(parsed) ? parsed.flatMap(toRefusal).slice(0, maxRefusals) : [];
  } catch {
    return [];
  }
}

function toRefusal(entry: unknown): RejectedItem[] {
  if (!isObject(entry)) return [];
  const { id, title, reason } = entry;
  return [{ id: textOf(id), title: textOf(title), reason: textOf(reason) }];
}

async function runBulk(bulk: Bulk, change: BulkChange): Promise<Outcome> {
  const { c, compiled, selection, form, listPath } = bulk;
  const binding = `bulk ${c.req.path} ${change.act} ${selection.ids?.join() ?? selection.search}`;
  const cursorText = textOf(form["from"]);
  const cursor = cursorText === "" ? undefined : await openCursor(c, binding, cursorText);
  if (cursorText !== "" && !cursor) throw invalidCursorProblem();
  const report = readReport(form);
  const total = readNumber(form, "total") || (await countSelected(c, compiled, selection)).count;
  const position = await runStep(
    { c, selection, change, report },
    compiled,
    cursor?.position ?? null,
  );
  const { done, unchanged, refused, refusals } = report;
  const document = { done, unchanged, refused, failed: refusals };
  const pageProps = { collection: compiled.collection, selection, change, report, listPath, total };
  if (position) {
    const next = await createCursor(c, binding, position);
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
  const isUndoable = cursorText === "" && report.done > 0;
  const { requestId } = c.var;
  const undo = isUndoable
    ? undoOfRequest(listPath, act, { requestId, count: report.done })
    : undefined;
  const flash = { ...result, undo };
  // A result that fits a flash message needs no separate page.
  if (cursorText === "" && refused <= maxFlashRefusals) {
    return { to: listPath, flash, document: { ...document, next: null } };
  }
  return {
    page: (frame) => <ResultPage frame={frame} {...pageProps} />,
    document: { ...document, next: null },
  };
}

const maxFlashRefusals = 5;
