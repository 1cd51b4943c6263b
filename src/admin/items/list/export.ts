import type { Context } from "hono";
import { queryItems, type ItemQuery } from "#actions/query-items.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { CursorPosition } from "#domain/cursor.ts";
import { spreadsheetWords } from "#domain/import/spreadsheet.ts";
import { formatChoices } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { sendDownload } from "#http/download.ts";
import type { ExportFormat } from "#domain/download.ts";
import type { AdminEnv } from "#http/env.ts";
import { getStoredCollection } from "#admin/items/load-item.ts";
import { listActorNames, visibleActorName } from "#actions/audit.ts";
import type { Actor } from "#domain/audit.ts";
import type { ItemView } from "#domain/item/item.ts";
import { viewerOf } from "#admin/preferences.ts";
import type { Viewer } from "#html/viewer.tsx";
import { buildSearchBody, clockOf } from "./filters.ts";
import { assertKnownParameters, readQuery, type Query } from "./query.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

type AdminContext = Context<AdminEnv>;

/** The download formats, by their names in URLs. */
const downloadFormats = {
  ndjson: () => ({ type: "application/x-ndjson" }),
  spreadsheet: ({ language }) => ({ type: "text/csv", spreadsheet: { layout: "items", language } }),
  local: ({ language, locale }) => ({
    type: "text/csv",
    spreadsheet: { layout: "items", language, locale },
  }),
  lines: ({ language }) => ({ type: "text/csv", spreadsheet: { layout: "lines", language } }),
  csv: () => ({ type: "text/csv", spreadsheet: null }),
} as const satisfies Record<string, (viewer: Viewer) => ExportFormat>;

type DownloadFormat = keyof typeof downloadFormats;
const isDownloadFormat = (name: string): name is DownloadFormat =>
  Object.hasOwn(downloadFormats, name);

export async function exportItems(c: AdminContext, kind: CollectionKind): Promise<Response> {
  assertKnownParameters(c.req.queries(), ["format"]);
  const format = c.req.query("format") ?? "ndjson";
  if (!isDownloadFormat(format)) {
    throw problem.invalidInput([
      {
        field: "format",
        code: "not_an_option",
        reason: reasonFor("notOneOf", { choices: formatChoices(Object.keys(downloadFormats)) }),
      },
    ]);
  }
  if (c.req.query("cursor") !== undefined) {
    throw problem.invalidInput([
      {
        field: "cursor",
        code: "unknown_parameter",
        reason: "Downloads contain all results, so they have no cursor.",
      },
    ]);
  }
  const { compiled } = await getStoredCollection(c, kind);
  return sendSearchDownload(c, compiled, readQuery(c.req.queries()), format);
}

/** Downloads all matches of a query. */
export function sendSearchDownload(
  c: AdminContext,
  compiled: CompiledCollection,
  query: Query,
  format: DownloadFormat,
) {
  const body = buildSearchBody(compiled.collection, query, clockOf(c));
  const itemQuery = { body, text: query.text, view: query.view };
  return sendItemsDownload(c, compiled, itemQuery, format);
}

export async function sendItemsDownload(
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
  const { view } = itemQuery;
  const download = { keys: null, start: null, view, maxItems: null, read };
  return sendDownload(c, download, downloadFormats[format](viewerOf(c)));
}

/** Replaces the actors of items by their names, as on pages. */
async function withActorNames(c: AdminContext, views: readonly ItemView[]): Promise<ItemView[]> {
  const actors = views.flatMap(({ createdBy, updatedBy }) => [createdBy, updatedBy]);
  const names = await listActorNames(c.var.action, actors);
  const unnamedActors = spreadsheetWords[viewerOf(c).language].actors;
  const nameOf = (actor: Actor) => {
    const isMember = actor.startsWith("member:");
    if (!isMember && !actor.startsWith("credential:")) return unnamedActors.system;
    const name = visibleActorName(actor, names.get(actor), c.var.member);
    return name || (isMember ? unnamedActors.member : unnamedActors.credential);
  };
  return views.map((view) => ({
    ...view,
    createdBy: nameOf(view.createdBy) as Actor,
    updatedBy: nameOf(view.updatedBy) as Actor,
  }));
}
