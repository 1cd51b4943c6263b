import type { Context } from "hono";
import { itemDocument, relativeOrigin } from "#documents/items.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AdminEnv } from "#http/env.ts";
import { submitForm, page } from "#admin/page.ts";
import { AdminPage, pageContext, type PageContext } from "#admin/layout.tsx";
import { dataAssets } from "#admin/definitions/layout.tsx";
import { requireCachedOrStoredCollection } from "#actions/collection-cache.ts";
import { findRecordChoices, loadTitles } from "#actions/reference-titles.ts";
import { noReferences, recordLabel, ReferencesContext } from "#admin/items/references.tsx";
import { textParameters } from "#http/query.ts";
import { keyParam } from "#admin/items/load-item.ts";
import { ItemsPage } from "./items-page.tsx";
import { itemListReads } from "./load-list.ts";
import { buildSearchParams, type Query } from "./query.ts";

type AdminContext = Context<AdminEnv>;

export function listItems(kind: CollectionKind) {
  return async (c: AdminContext): Promise<Response> => {
    const list = await c.var.read(itemListReads[kind]);
    const { query, page: found, now: loadCollection } = list;
    const settings = c.var.listSettings ?? { filters: [], columns: null };
    return submitForm(
      c,
      async () => {
        const { compiled, status, views, next, count, progress, included } = await found;
        const { collection } = compiled;
        const links = { self: c.req.url, next: next && pageUrl(c, query, next) };
        const { itemCount, indexing } = status ?? (await loadCollection());
        const document = {
          items: views.map((view) => itemDocument(view, relativeOrigin)),
          count,
          progress,
          links,
        };
        const pageProps = { views, next, count, progress };
        const props = { collection, live: itemCount, indexing, query, settings, ...pageProps };
        // The page already contains the records that most of its items refer to.
        const titles = await loadTitles(
          c.var.action,
          collection,
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
        const props = { collection, live: itemCount, indexing, query, settings };
        return <ItemsPage frame={pageContext(c)} {...props} {...noItems} />;
      },
    );
  };
}

/** Suggests records for an input of a reference. Only scripts call it. */
export const suggestRecords = page({
  query: textParameters("q"),
  async load({ c, ctx }) {
    const compiled = await requireCachedOrStoredCollection(ctx, "app", keyParam(c));
    return findRecordChoices(ctx, compiled, c.req.query("q") ?? "");
  },
  document: (records, { text }) => ({
    items: records.map((record) => ({
      id: record.id,
      receipt_number: record.receiptNumber,
      title: record.title,
      label: recordLabel(record, text),
    })),
  }),
  render: (frame, records) => (
    <AdminPage {...dataAssets} frame={frame} title={frame.text.terms.collections.app.Items}>
      <ul>
        {records.map((record) => (
          <li>{recordLabel(record, frame.text)}</li>
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
