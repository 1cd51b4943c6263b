import { Hono } from "hono";
import { getDefinition } from "#actions/definitions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { loadIncludedApps } from "#actions/included-apps.ts";
import { openApiDocument } from "#documents/openapi/document.ts";
import type { AdminEnv } from "#http/env.ts";
import { serviceHost } from "#http/request.ts";
import { requireAbility } from "#admin/page.ts";
import { itemRoutes } from "#admin/items/index.tsx";
import { summaryPage } from "#admin/items/summary.tsx";
import { accessPage } from "./access.tsx";
import { deletePage } from "./delete.tsx";
import { changesPage } from "./changes-page.tsx";
import { historyPage } from "./history-page.tsx";
import { apiPage, jsonPage } from "./json-page.tsx";
import { createCollection, saveFields, showEditor, showNewEditor } from "./editor.tsx";
import { collectionsPage } from "./list.tsx";
import { settingsPage } from "./settings.tsx";

/** Builds the routes of the pages on apps or on forms: their definitions, their access and their items. */
export function collectionRoutes(kind: CollectionKind) {
  const list = collectionsPage(kind);
  const settings = settingsPage(kind);
  const json = jsonPage(kind);
  const deletion = deletePage(kind);
  const access = accessPage(kind);
  const requireDefine = requireAbility("define");
  const requireErase = requireAbility("erase");
  const requireCredentials = requireAbility("credentials");
  return (
    new Hono<AdminEnv>()
      // `new` is a query parameter, because any path could be the key of a collection.
      .get("/", (c, next) =>
        c.req.query("new") === undefined ? list.show(c, next) : showNewEditor(c, kind),
      )
      .post("/", requireDefine, (c) => createCollection(c, kind))
      .get("/:key", (c) => showEditor(c, kind))
      .post("/:key/fields", requireDefine, (c) => saveFields(c, kind))
      .get("/:key/settings", requireDefine, settings.show)
      .post("/:key/settings", requireDefine, settings.save)
      .get("/:key/access", requireCredentials, access.show)
      .post("/:key/access", requireCredentials, access.giveAccess)
      .get("/:key/summary", summaryPage(kind).show)
      .get("/:key/delete", requireErase, deletion.show)
      .post("/:key/delete", requireErase, deletion.remove)
      .get("/:key/api", apiPage(kind).show)
      .post("/:key/check-index", requireAbility("owners"), settings.repairIndex)
      .get("/:key/openapi.json", async (c) => {
        const { collection } = await getDefinition(c.var.action, kind, c.req.param("key"));
        const apps = await loadIncludedApps(c.var.action, [collection]);
        return c.json(openApiDocument(c.env.operations(), collection, serviceHost(c), apps));
      })
      .get("/:key/changes", historyPage(kind).show)
      .get("/:key/changes/:version", changesPage(kind).show)
      .get("/:key/json", json.show)
      .post("/:key/json", requireDefine, json.save)
      .route("/:key/items", itemRoutes(kind))
  );
}
