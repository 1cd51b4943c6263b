import type { Context } from "hono";
import { itemDocument } from "#documents/items.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AdminEnv } from "#http/env.ts";
import { attempted, sendOutcome } from "#admin/page.ts";
import { pageContext } from "#admin/layout.tsx";
import {
  resolveColumns,
  itemListReads,
  buildSearchParams,
  type Query,
  readQuery,
  assertKnownParameters,
} from "./query.ts";
import { ItemsPage } from "./items-page.tsx";
import { queryItems, type ItemQuery, searchItems } from "#actions/query-items.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CursorPosition } from "#domain/cursor.ts";
import { formatChoices } from "#domain/problem/field-errors.ts";
import { problem, Problem } from "#domain/problem/problem.ts";
import { sendDownload } from "#http/download.ts";
import type { ExportFormat } from "#domain/download.ts";
import { getStoredCollection, itemsPath, keyParam } from "#admin/items/load-item.ts";
import { buildSearchBody, clockOf } from "./filters.ts";
import { deleteSubmission, updateItem } from "#actions/update-item.ts";
import { getSubmission } from "#actions/visible.ts";
import { buildItemView } from "#domain/item/item.ts";
import type { ProblemCode } from "#domain/problem/catalogue.ts";
import type { LoadedItem } from "#actions/visible.ts";
import { itemTitle } from "#admin/items/value.tsx";
import type { Flash } from "#admin/preferences.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { readForm, textOf } from "#admin/form-input.ts";
import { nonEmptyTexts } from "#admin/items/form/values.ts";
import { ConfirmDeletePage } from "./items-table.tsx";

type AdminContext = Context<AdminEnv>;

export function listItems(kind: CollectionKind) {
  return async (c: AdminContext): Promise<Response> => {
    const list = await c.var.read(itemListReads[kind]);
    const { query: urlQuery, page, now: loadCollection } = list;
    const query = { ...urlQuery, columns: resolveColumns(c, urlQuery.columns) };
    return attempted(
      c,
      async () => {
        const { compiled, status, views, next, count, progress } = await page;
        const { collection } = compiled;
        const links = { self: c.req.url, next: next && pageUrl(c, query, next) };
        const { itemCount, indexing } = status ?? (await loadCollection());
        const document = { items: views.map(itemDocument), count, progress, links };
        const found = { views, next, count, progress };
        const props = { collection, live: itemCount, indexing, query, ...found };
        return { page: (frame) => <ItemsPage frame={frame} {...props} />, document };
      },
      async (error) => {
        const { compiled, itemCount, indexing } = await loadCollection();
        const { collection } = compiled;
        const noItems = { views: [], next: null, count: null, progress: null, problem: error };
        const props = { frame: pageContext(c), collection, live: itemCount, indexing, query };
        return <ItemsPage {...props} {...noItems} />;
      },
    );
  };
}

function pageUrl(c: AdminContext, query: Query, cursor: string): string {
  const url = new URL(c.req.path, c.req.url);
  const params = buildSearchParams(query);
  params.set("cursor", cursor);
  url.search = params.toString();
  return url.href;
}

/** The download formats, by their names in URLs. */
const downloadFormats = {
  ndjson: { type: "application/x-ndjson" },
  spreadsheet: { type: "text/csv", spreadsheet: "items" },
  lines: { type: "text/csv", spreadsheet: "lines" },
  csv: { type: "text/csv", spreadsheet: null },
} as const satisfies Record<string, ExportFormat>;

type DownloadFormat = keyof typeof downloadFormats;
const isDownloadFormat = (name: string): name is DownloadFormat =>
  Object.hasOwn(downloadFormats, name);

export async function exportItems(c: AdminContext, kind: CollectionKind): Promise<Response> {
  assertKnownParameters(c.req.queries(), ["format"]);
  const format = c.req.query("format") ?? "ndjson";
  if (!isDownloadFormat(format)) {
    const reason = `Must be one of ${formatChoices(Object.keys(downloadFormats))}.`;
    throw problem.invalidInput([{ field: "format", code: "not_an_option", reason }]);
  }
  if (c.req.query("cursor") !== undefined) {
    const reason = "A download holds all that is found: it goes on nowhere.";
    throw problem.invalidInput([{ field: "cursor", code: "unknown_parameter", reason }]);
  }
  const { compiled } = await getStoredCollection(c, kind);
  const query = readQuery(c.req.queries());
  const body = buildSearchBody(compiled.collection, query, clockOf(c));
  return sendItemsDownload(c, compiled, { body, text: query.text }, format);
}

async function sendItemsDownload(
  c: AdminContext,
  compiled: CompiledCollection,
  itemQuery: ItemQuery,
  format: DownloadFormat,
) {
  const read = (from: CursorPosition | null, items: number) =>
    queryItems(c.var.action, compiled, itemQuery, from, items);
  const download = { compiled, keys: null, start: null, maxItems: null, read };
  return sendDownload(c, download, downloadFormats[format]);
}

const maxSelectedItems = 100;

/** Downloads, closes or deletes the selected items. Deletion asks for confirmation first. */
export async function actOnSelected(c: AdminContext, kind: CollectionKind): Promise<Response> {
  const form = await readForm(c);
  const ids = [...new Set(nonEmptyTexts(form["ids"]))].slice(0, maxSelectedItems);
  const action = textOf(form["act"]);
  const listPath = itemsPath(c, kind);
  if (ids.length === 0) {
    const flash = { text: "Select at least one item first.", isPartial: true };
    return sendOutcome(c, { to: listPath, flash, document: null });
  }
  const { compiled } = await getStoredCollection(c, kind);
  const body = { conditions: [{ field: "$id", op: "in", value: ids }], limit: maxSelectedItems };
  if (action === "download") return sendItemsDownload(c, compiled, { body }, "spreadsheet");
  if (!roleAllows(c.var.member.role, "write")) throw problem.roleRequired("write");
  if (kind === "app" || (action !== "close" && action !== "delete")) throw problem.notFound();
  if (action === "delete" && textOf(form["sure"]) === "") {
    const { views } = await searchItems(c.var.action, compiled, { body }, null);
    const { collection } = compiled;
    return c.html(
      <ConfirmDeletePage {...{ frame: pageContext(c), collection, views, listPath }} />,
    );
  }
  const changeItem = action === "close" ? closeSelected : deleteSelected;
  const failures: BulkFailure[] = [];
  for (const id of ids) {
    const failure = await attemptOnItem(c, id, changeItem);
    if (failure) failures.push(failure);
  }
  const flash = bulkResult(action, ids.length, failures);
  const document = failures.length === 0 ? null : { failed: failures };
  return sendOutcome(c, { to: listPath, flash, document });
}

type ItemAction = (c: AdminContext, submission: LoadedItem) => Promise<unknown>;

const closeSelected: ItemAction = (c, submission) =>
  updateItem(c.var.action, submission, { status: "closed" }, null);

const deleteSelected: ItemAction = (c, submission) =>
  deleteSubmission(c.var.action, submission, null);

async function getFormSubmission(c: AdminContext, id: string) {
  const submission = await getSubmission(c.var.action, id);
  if (submission.compiled.collection.key !== keyParam(c)) throw problem.notFound();
  return submission;
}

/** An item that a bulk action left out. */
interface BulkFailure {
  id: string;
  title: string;
  reason: string;
}

/** Runs an action on an item. Returns undefined if it succeeded. */
async function attemptOnItem(
  c: AdminContext,
  id: string,
  changeItem: ItemAction,
): Promise<BulkFailure | undefined> {
  let title = `…${id.slice(-8)}`;
  try {
    const submission = await getFormSubmission(c, id);
    const { item, compiled } = submission;
    title = itemTitle(buildItemView(item, compiled), compiled.collection.definition.fields.fields);
    await changeItem(c, submission);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { id, title, reason: failureReasons[error.code] ?? error.detail };
  }
}

const failureReasons: Partial<Record<ProblemCode, string>> = {
  not_found: "no longer exists",
  invalid_input: "still a draft",
  submission_closed: "already closed",
};

const maxNamedFailures = 5;

function bulkResult(
  action: "close" | "delete",
  total: number,
  failures: readonly BulkFailure[],
): Flash {
  const count = total - failures.length;
  const done = action === "close" ? "closed" : "deleted";
  if (failures.length === 0) {
    const text = `${count} ${count === 1 ? "submission" : "submissions"} ${done}`;
    return { text, isPartial: false };
  }
  const names = failures
    .slice(0, maxNamedFailures)
    .map(({ title, reason }) => `${title} (${reason})`)
    .join(", ");
  const others = failures.length - maxNamedFailures;
  const more = others > 0 ? ` and ${others} more` : "";
  const text = `${count} of ${total} submissions ${done}. Not ${done}: ${names}${more}.`;
  return { text, isPartial: true };
}
