import type { Context } from "hono";
import { itemDocument, siteLinks } from "#documents/items.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AdminEnv } from "#http/env.ts";
import { attempted, page, sendOutcome } from "#admin/page.ts";
import { AdminPage, pageContext, type PageContext } from "#admin/layout.tsx";
import { dataAssets } from "#admin/definitions/layout.tsx";
import { likelyCollection } from "#actions/collection-cache.ts";
import { findRecordChoices, loadTitles } from "#actions/reference-titles.ts";
import { noReferences, recordLabel, ReferencesContext } from "#admin/items/references.tsx";
import { textParameters } from "#http/query.ts";
import {
  resolveColumns,
  itemListReads,
  buildSearchParams,
  type Query,
  readQuery,
  assertKnownParameters,
} from "./query.ts";
import { ItemsPage } from "./items-page.tsx";
import { queryItems, type ItemQuery } from "#actions/query-items.ts";
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
import type { Actor } from "#domain/audit.ts";
import { buildItemView, type ItemView } from "#domain/item/item.ts";
import { listActorNames } from "#actions/audit.ts";
import type { ProblemCode } from "#domain/problem/catalogue.ts";
import type { LoadedItem } from "#actions/visible.ts";
import { itemTitle } from "#admin/items/value.tsx";
import { type Flash, viewerOf } from "#admin/preferences.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { readForm, textOf } from "#admin/form-input.ts";
import { nonEmptyTexts } from "#admin/items/form/values.ts";
import { ConfirmDeletePage } from "./items-table.tsx";

type AdminContext = Context<AdminEnv>;

export function listItems(kind: CollectionKind) {
  return async (c: AdminContext): Promise<Response> => {
    const list = await c.var.read(itemListReads[kind]);
    const { query: urlQuery, page: found, now: loadCollection } = list;
    const query = { ...urlQuery, columns: resolveColumns(c, urlQuery.columns) };
    return attempted(
      c,
      async () => {
        const { compiled, status, views, next, count, progress, included } = await found;
        const { collection } = compiled;
        const links = { self: c.req.url, next: next && pageUrl(c, query, next) };
        const { itemCount, indexing } = status ?? (await loadCollection());
        const document = {
          items: views.map((view) => itemDocument(view, siteLinks)),
          count,
          progress,
          links,
        };
        const shown = { views, next, count, progress };
        const props = { collection, live: itemCount, indexing, query, ...shown };
        // The page has the records to which most of its items refer.
        const titles = await loadTitles(
          c.var.action,
          collection.definition.fields.fields,
          views.map(({ data }) => data),
          included.map(({ id, key: app, receiptNumber, title }) => ({
            id,
            app,
            receiptNumber: receiptNumber ?? "",
            title,
          })),
        );
        const render = (frame: PageContext) => (
          <ReferencesContext.Provider value={{ ...noReferences, titles }}>
            <ItemsPage frame={frame} {...props} />
          </ReferencesContext.Provider>
        );
        return { page: render, document };
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

/** Suggests records for an input of a reference. Only scripts call it. */
export const suggestRecords = page({
  query: textParameters("q"),
  async load({ c, ctx }) {
    const compiled = await likelyCollection(ctx, "app", keyParam(c));
    return findRecordChoices(ctx, compiled, c.req.query("q") ?? "");
  },
  document: (records) => ({
    items: records.map((record) => ({
      id: record.id,
      receipt_number: record.receiptNumber,
      title: record.title,
      label: recordLabel(record),
    })),
  }),
  render: (frame, records) => (
    <AdminPage {...dataAssets} frame={frame} title="Records">
      <ul>
        {records.map((record) => (
          <li>{recordLabel(record)}</li>
        ))}
      </ul>
    </AdminPage>
  ),
});

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
  local: { type: "text/csv", spreadsheet: "items" },
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
    const reason = "Downloads contain all results, so they have no cursor.";
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
  const isForPeople = format !== "csv" && format !== "ndjson";
  const read = async (from: CursorPosition | null, items: number) => {
    const step = await queryItems(c.var.action, compiled, itemQuery, from, items);
    return isForPeople ? { ...step, views: await withActorNames(c, step.views) } : step;
  };
  const download = { keys: null, start: null, maxItems: null, read };
  const locale = format === "local" ? { locale: viewerOf(c).locale } : {};
  return sendDownload(c, download, { ...downloadFormats[format], ...locale });
}

/** Replaces the actors of items with names, as far as the member's role may see them. */
async function withActorNames(c: AdminContext, views: readonly ItemView[]): Promise<ItemView[]> {
  const { role } = c.var.member;
  const actors = views.flatMap(({ createdBy, updatedBy }) => [createdBy, updatedBy]);
  const names = await listActorNames(c.var.action, actors);
  const nameOf = (actor: Actor) => {
    const isMember = actor.startsWith("member:");
    if (!isMember && !actor.startsWith("credential:")) return "recalculation";
    const name = roleAllows(role, isMember ? "members" : "credentials") && names.get(actor);
    return name || (isMember ? "a member" : "an integration");
  };
  return views.map((view) => ({
    ...view,
    createdBy: nameOf(view.createdBy) as Actor,
    updatedBy: nameOf(view.updatedBy) as Actor,
  }));
}

const maxSelectedItems = 100;

/** Downloads, closes or deletes the selected items. Deletion asks for confirmation first. */
export async function actOnSelected(c: AdminContext, kind: CollectionKind): Promise<Response> {
  const form = await readForm(c);
  const ids = [...new Set(nonEmptyTexts(form["ids"]))].slice(0, maxSelectedItems);
  const action = textOf(form["act"]);
  const listPath = itemsPath(c, kind);
  if (ids.length === 0) {
    const flash = { text: "Select at least one item first", isPartial: true };
    return sendOutcome(c, { to: listPath, flash, document: null });
  }
  const { compiled } = await getStoredCollection(c, kind);
  const body = { conditions: [{ field: "$id", op: "in", value: ids }], limit: maxSelectedItems };
  if (action === "download") return sendItemsDownload(c, compiled, { body }, "spreadsheet");
  if (!roleAllows(c.var.member.role, "write")) throw problem.roleRequired("write");
  if (kind === "app" || (action !== "close" && action !== "delete")) throw problem.notFound();
  if (action === "delete" && textOf(form["sure"]) === "") {
    const { views } = await queryItems(c.var.action, compiled, { body }, null);
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
