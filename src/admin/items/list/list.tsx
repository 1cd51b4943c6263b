import type { Context } from "hono";
import { itemDocument } from "#documents/items.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AdminEnv } from "#http/env.ts";
import { asking } from "#http/doors/question.ts";
import { answer, attempted, answerDone } from "#admin/page.ts";
import { frameOf } from "#admin/layout.tsx";
import { chosenColumns, listed, searchParams, type Query, readQuery, refuseUnknown } from "./query.ts";
import { ItemsPage } from "./items-page.tsx";
import { browseItems, type Browsed, searchItems } from "#actions/query-items.ts";
import type { Compiled } from "#domain/data/compile.ts";
import type { Position } from "#domain/cursor.ts";
import { oneOf } from "#domain/problem/field-errors.ts";
import { problem, Problem } from "#domain/problem/problem.ts";
import { answerDownload, type Format } from "#http/download.ts";
import { opened, addressOf, keyOf } from "#admin/items/load-item.ts";
import { searchBody, clockOf } from "./filters.ts";
import { deleteSubmission, updateItem } from "#actions/update-item.ts";
import { visibleSubmission } from "#actions/visible.ts";
import type { ItemView } from "#domain/item/item.ts";
import { may } from "#domain/credential/permissions.ts";
import { readSent, textOf } from "#admin/form-input.ts";
import { say } from "#admin/preferences.ts";
import { textsOf } from "#admin/items/form/values.ts";
import { SurePage } from "./items-table.tsx";

type C = Context<AdminEnv>;

export function listItems(kind: CollectionKind) {
  const question = listed(kind);
  return asking(question, async (c: C): Promise<Response> => {
    const { query: sent, page, now } = await c.var.read(question);
    const query = { ...sent, columns: chosenColumns(c, sent.columns) };
    const frame = frameOf(c);
    return attempted(
      c,
      async () => {
        const { compiled, standing, views, next, count } = await page;
        const { collection } = compiled;
        const links = { self: c.req.url, next: next && pageAddress(c, query, next) };
        const { live, indexing } = standing ?? (await now());
        const document = { items: views.map(itemDocument), count, links };
        const shown = { frame, collection, live, indexing, query, views, next, count };
        return answer(c, document, () => <ItemsPage {...shown} />);
      },
      async (refusal) => {
        const { compiled, live, indexing } = await now();
        const { collection } = compiled;
        const none = { views: [], next: null, count: null, problem: refusal };
        return <ItemsPage {...{ frame, collection, live, indexing, query }} {...none} />;
      },
    );
  });
}

function pageAddress(c: C, query: Query, cursor: string): string {
  const address = new URL(c.req.path, c.req.url);
  const params = searchParams(query);
  params.set("cursor", cursor);
  address.search = params.toString();
  return address.href;
}

/** Downloads by their names in addresses. */
const formats = {
  ndjson: { type: "application/x-ndjson" },
  spreadsheet: { type: "text/csv", spreadsheet: "items" },
  lines: { type: "text/csv", spreadsheet: "lines" },
  csv: { type: "text/csv", spreadsheet: null },
} as const satisfies Record<string, Format>;

type FormatName = keyof typeof formats;
const isFormat = (name: string): name is FormatName => Object.hasOwn(formats, name);

export async function exportItems(c: C, kind: CollectionKind): Promise<Response> {
  refuseUnknown(c.req.queries(), ["format"]);
  const format = c.req.query("format") ?? "ndjson";
  if (!isFormat(format)) {
    const reason = `Must be one of ${oneOf(Object.keys(formats))}.`;
    throw problem.invalidInput([{ field: "format", code: "not_an_option", reason }]);
  }
  if (c.req.query("cursor") !== undefined) {
    const reason = "A download holds all that is found: it goes on nowhere.";
    throw problem.invalidInput([{ field: "cursor", code: "unknown_parameter", reason }]);
  }
  const { compiled } = await opened(c, kind);
  const query = readQuery(c.req.queries());
  const body = searchBody(compiled.collection, query, clockOf(c));
  return answerFound(c, compiled, { body, text: query.text }, format);
}

export async function answerFound(c: C, compiled: Compiled, browsed: Browsed, format: FormatName) {
  const read = (from: Position | null, items: number) =>
    browseItems(c.var.action, compiled, browsed, from, items);
  const download = { compiled, keys: null, start: null, most: null, read };
  return answerDownload(c, download, formats[format]);
}

/** A page of them. */
const mostSelected = 100;

/** Downloads, closes or deletes those that are ticked; deleting asks first, naming them. */
export async function actOnSelected(c: C, kind: CollectionKind): Promise<Response> {
  const sent = await readSent(c);
  const ids = [...new Set(textsOf(sent["ids"]))].slice(0, mostSelected);
  const act = textOf(sent["act"]);
  const back = addressOf(c, kind);
  if (ids.length === 0) {
    say(c, "Nothing was done: tick some of them first.");
    return answerDone(c, null, back);
  }
  const { compiled } = await opened(c, kind);
  const body = { conditions: [{ field: "$id", op: "in", value: ids }], limit: mostSelected };
  if (act === "download") return answerFound(c, compiled, { body }, "spreadsheet");
  if (!may(c.var.member.role, "write")) throw problem.roleRequired("write");
  if (kind === "app" || (act !== "close" && act !== "delete")) throw problem.notFound();
  if (act === "delete" && textOf(sent["sure"]) === "") {
    const { views } = await searchItems(c.var.action, compiled, body, null);
    const { collection } = compiled;
    return c.html(<SurePage {...{ frame: frameOf(c), collection, views, back }} />);
  }
  const one = act === "close" ? closeOne : deleteOne;
  const refused = new Map<string, number>();
  for (const id of ids) {
    const reason = await one(c, id);
    if (reason !== undefined) refused.set(reason, (refused.get(reason) ?? 0) + 1);
  }
  say(c, saidOf(act, ids.length, refused));
  return answerDone(c, null, back);
}

const closeOne = (c: C, id: string) =>
  tried(async () => {
    const found = await ownSubmission(c, id);
    await updateItem(c.var.action, found, { status: "closed" }, null);
  });

const deleteOne = (c: C, id: string) =>
  tried(async () => deleteSubmission(c.var.action, await ownSubmission(c, id), null));

async function ownSubmission(c: C, id: string) {
  const found = await visibleSubmission(c.var.action, id);
  if (found.compiled.collection.key !== keyOf(c)) throw problem.notFound();
  return found;
}

/** Why it was refused; nothing where it was done. */
async function tried(act: () => Promise<ItemView | void>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "not_found") return "not there any more";
    if (error.code === "invalid_input") return "still drafts";
    return error.code === "submission_closed" ? "closed already" : error.detail;
  }
}

function saidOf(act: "close" | "delete", all: number, refused: Map<string, number>): string {
  const failed = [...refused.values()].reduce((sum, count) => sum + count, 0);
  const done = `${all - failed} ${all - failed === 1 ? "submission is" : "submissions are"} ${act === "close" ? "closed" : "deleted"}.`;
  const why = [...refused].map(([reason, count]) => `${count} ${reason}`).join("; ");
  return failed === 0 ? done : `${done} Left as they were: ${why}.`;
}
