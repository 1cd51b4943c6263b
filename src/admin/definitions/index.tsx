import { Hono } from "hono";
import { getDefinition } from "#actions/definitions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
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

/** Routes for the definitions and the data of apps or forms. */
export function collectionRoutes(kind: CollectionKind) {
  const list = collectionsPage(kind);
  const settings = settingsPage(kind);
  const json = jsonPage(kind);
  const deletion = deletePage(kind);
  const access = accessPage(kind);
  const define = requireAbility("define");
  const erase = requireAbility("erase");
  const seeCredentials = requireAbility("credentials");
  return (
    new Hono<AdminEnv>()
      // A query parameter, because any path could be the key of a collection.
      .get("/", (c, next) =>
        c.req.query("new") === undefined ? list.show(c, next) : showNewEditor(c, kind),
      )
      .post("/", define, (c) => createCollection(c, kind))
      .get("/:key", (c) => showEditor(c, kind))
      .post("/:key/fields", define, (c) => saveFields(c, kind))
      .get("/:key/settings", define, settings.show)
      .post("/:key/settings", define, settings.save)
      .get("/:key/access", seeCredentials, access.show)
      .post("/:key/access", seeCredentials, access.giveAccess)
      .get("/:key/summary", summaryPage(kind).show)
      .get("/:key/delete", erase, deletion.show)
      .post("/:key/delete", erase, deletion.remove)
      .get("/:key/api", apiPage(kind).show)
      .post("/:key/check-index", requireAbility("owners"), settings.repairIndex)
      .get("/:key/openapi.json", async (c) => {
        const { collection } = await getDefinition(c.var.action, kind, c.req.param("key"));
        return c.json(openApiDocument(c.env.operations, collection, serviceHost(c)));
      })
      .get("/:key/changes", historyPage(kind).show)
      .get("/:key/changes/:version", changesPage(kind).show)
      .get("/:key/json", json.show)
      .post("/:key/json", define, json.save)
      .route("/:key/items", itemRoutes(kind))
  );
}
