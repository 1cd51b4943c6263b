import { Hono, type Context } from "hono";
import * as z from "zod/mini";
import { createItem } from "../../actions/items/create-item";
import { noKey } from "../../actions/once-per-key";
import { deleteSubmission } from "../../actions/items/delete-submission";
import { itemDocument } from "../../documents/item";
import { viewOf } from "../../domain/item/item-view";
import { readCollection } from "../../actions/definitions/known-collections";
import { reopenSubmission } from "../../actions/items/reopen-submission";
import { browseItems } from "../../actions/search/browse-items";
import { updateItem } from "../../actions/items/update-item";
import { visibleRecord, visibleSubmission, type Found } from "../../actions/visible";
import type { Compiled } from "../../domain/data/compile";
import { makeCursor, readCursor, type Position } from "../../domain/cursor";
import type { CollectionKind } from "../../domain/definition/collection";
import { etagOf } from "../../domain/etag";
import { isObject } from "../../domain/json";
import { problem } from "../../domain/problem/problem";
import { signingKeys } from "../../domain/credential/signature";
import type { AdminEnv } from "../../env";
import { answerDownload, type Format } from "../../http/answers/download";
import { query, texts } from "../../http/doors/parameters";
import { able, answer, answerDone, attempted } from "../frame/answers";
import { words } from "../definitions/words";
import { readSent } from "../frame/negotiate";
import { numberOf } from "../frame/sent";
import { dataOf } from "./item-input";
import { ItemPage } from "./item-page";
import { ItemsPage } from "./items-page";
import { searchOf, type Query } from "./search-input";

/** Downloads by their names in addresses. */
const formats = {
  ndjson: { type: "application/x-ndjson" },
  spreadsheet: { type: "text/csv", spreadsheet: "items" },
  lines: { type: "text/csv", spreadsheet: "lines" },
  csv: { type: "text/csv", spreadsheet: null },
} as const satisfies Record<string, Format>;

const format = z.optional(z.enum(["ndjson", "spreadsheet", "lines", "csv"]));
const searched = ["field", "op", "value", "sort", "direction", "conditions", "q"] as const;

/** The data of an app or a form. */
export const itemRoutes = (kind: CollectionKind) =>
  new Hono<AdminEnv>()
    .get("/", query(texts(...searched, "cursor")), (c) => list(c, kind))
    .get("/export", query(z.extend(texts(...searched), { format })), async (c) => {
      const { compiled } = await opened(c, kind);
      const { format: chosen = "ndjson", q: text = "", ...sent } = c.req.valid("query");
      const body = searchOf(compiled.collection.definition.fields.fields, sent);
      const read = (from: Position | null, items: number) =>
        browseItems(c.var.action, compiled, { body, text }, from, items);
      const download = { compiled, keys: null, start: null, most: null, read };
      return answerDownload(c, download, formats[chosen]);
    })
    .get("/new", able("write"), async (c) => {
      const { compiled } = await opened(c, kind);
      return c.html(<ItemPage c={c} compiled={compiled} />);
    })
    .post("/", able("write"), async (c) => {
      const { compiled } = await opened(c, kind);
      return attempted(
        c,
        async () => {
          const body = await bodyOf(c, compiled);
          const { answer: view } = await createItem(c.var.action, compiled, body, noKey);
          return answerDone(c, itemDocument(view), `${addressOf(c, kind)}/${view.id}`, 201);
        },
        async (refusal) => (
          <ItemPage c={c} compiled={compiled} sent={await readSent(c)} problem={refusal} />
        ),
      );
    })
    .get("/:id", async (c) => {
      const { item, compiled } = await found(c, kind);
      const view = viewOf(item, compiled);
      return answer(c, itemDocument(view), () => (
        <ItemPage c={c} compiled={compiled} view={view} />
      ));
    })
    .post("/:id", able("write"), (c) =>
      change(c, kind, async (one, ifMatch) =>
        updateItem(c.var.action, one, await bodyOf(c, one.compiled), ifMatch),
      ),
    )
    .post("/:id/close", able("write"), (c) =>
      change(c, kind, (one, ifMatch) =>
        updateItem(c.var.action, one, { status: "closed" }, ifMatch),
      ),
    )
    .post("/:id/reopen", able("write"), (c) =>
      change(c, kind, (one, ifMatch) => reopenSubmission(c.var.action, one, ifMatch)),
    )
    .post("/:id/delete", able("write"), async (c) => {
      const one = await found(c, kind);
      if (kind === "app") throw problem.notFound();
      await deleteSubmission(c.var.action, one, await versionOf(c));
      return answerDone(c, null, addressOf(c, kind));
    });

const addressOf = (c: Context<AdminEnv>, kind: CollectionKind) =>
  `${words[kind].path}/${c.req.param("key")}/items`;

async function opened(c: Context<AdminEnv>, kind: CollectionKind) {
  const read = await readCollection(c.env.DB, kind, c.req.param("key") ?? "");
  if (!read) throw problem.notFound();
  return read;
}

async function found(c: Context<AdminEnv>, kind: CollectionKind): Promise<Found> {
  const [key, id] = [c.req.param("key") ?? "", c.req.param("id") ?? ""];
  if (kind === "app") return visibleRecord(c.var.action, key, id);
  const one = await visibleSubmission(c.var.action, id);
  if (one.compiled.collection.key !== key) throw problem.notFound();
  return one;
}

/** A form's inputs, or the body that the API takes. */
async function bodyOf(c: Context<AdminEnv>, compiled: Compiled): Promise<unknown> {
  const sent = await readSent(c);
  const { version: _, ...body } = sent;
  if (isObject(sent["data"])) return body;
  const { kind, definition } = compiled.collection;
  const data = dataOf(definition.fields.fields, sent);
  return kind === "form" && sent["status"] ? { status: sent["status"], data } : { data };
}

async function versionOf(c: Context<AdminEnv>): Promise<string[] | null> {
  const { version } = await readSent(c);
  return version === undefined ? null : [etagOf(numberOf(version))];
}

async function change(
  c: Context<AdminEnv>,
  kind: CollectionKind,
  act: (one: Found, ifMatch: string[] | null) => ReturnType<typeof updateItem>,
): Promise<Response> {
  const one = await found(c, kind);
  return attempted(
    c,
    async () => {
      const view = await act(one, await versionOf(c));
      return answerDone(c, itemDocument(view), `${addressOf(c, kind)}/${view.id}`);
    },
    async (refusal) => {
      // As it is now: the next try is made knowing it.
      const { item, compiled } = await found(c, kind);
      const shown = { c, compiled, view: viewOf(item, compiled), sent: await readSent(c) };
      return <ItemPage {...shown} problem={refusal} />;
    },
  );
}

async function list(c: Context<AdminEnv>, kind: CollectionKind): Promise<Response> {
  const read = await opened(c, kind);
  const sent = c.req.query();
  const shown = { c, query: sent, ...read };
  return attempted(
    c,
    async () => {
      const { views, next, count } = await pageOf(c, read.compiled, sent);
      const document = { items: views.map(itemDocument), count, links: { self: c.req.url, next } };
      return answer(c, document, () => (
        <ItemsPage {...shown} views={views} next={next} count={count} />
      ));
    },
    (refusal) => <ItemsPage {...shown} views={[]} next={null} problem={refusal} />,
  );
}

async function pageOf(c: Context<AdminEnv>, compiled: Compiled, { cursor, ...sent }: Query) {
  const keys = signingKeys(c.env.TOKEN_SECRET);
  const address = new URL(c.req.path, c.req.url);
  for (const [name, value] of Object.entries(sent)) address.searchParams.set(name, value);
  const binding = `admin ${address.pathname}${address.search}`;
  const read = cursor ? await readCursor(keys, binding, cursor) : undefined;
  if (cursor && !read) {
    const reason = "This is no cursor of this list. Follow links.next as it was given.";
    throw problem.invalidInput([{ field: "cursor", code: "invalid_cursor", reason }]);
  }
  const body = searchOf(compiled.collection.definition.fields.fields, sent);
  const browsed = { body, text: sent["q"] ?? "", forPeople: true };
  const page = await browseItems(c.var.action, compiled, browsed, read ?? null);
  const { leading, views, more, count } = page;
  if (more) address.searchParams.set("cursor", await makeCursor(keys, binding, more));
  return { views: [...leading, ...views], next: more ? address.href : null, count };
}
