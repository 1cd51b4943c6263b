import { Hono } from "hono";
import { checkIndex } from "#actions/backfill.ts";
import { readDefinition } from "#actions/definitions.ts";
import { visibleCollection } from "#actions/visible.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { openApiDocument } from "#documents/openapi/document.ts";
import type { AdminEnv } from "#http/env.ts";
import { hostOf, originOf } from "#http/request.ts";
import { glanceAt } from "#store/data/collections.ts";
import { able, answer, answerDone } from "#admin/page.ts";
import { frameOf } from "#admin/layout.tsx";
import { say } from "#admin/preferences.ts";
import { itemRoutes } from "#admin/items/index.tsx";
import { ApiPage, saveJson, showJson } from "./json-page.tsx";
import { createCollection, saveFields, showEditor, showNew } from "./editor.tsx";
import { documentOf, words } from "./layout.tsx";
import { ListPage } from "./list.tsx";
import { saveSettings, showSettings } from "./settings.tsx";

/** Apps, or forms: their definitions and their data. */
export const collections = (kind: CollectionKind) =>
  new Hono<AdminEnv>()
    .get("/", async (c) => {
      // A query, as any path could be somebody's key.
      if (c.req.query("new") !== undefined) return showNew(c, kind);
      const found = await glanceAt(c.env.DB, kind);
      const items = found.map(({ key, name, description, version, live }) => {
        return { key, name, description, version, live };
      });
      return answer(c, { items }, () => <ListPage {...{ frame: frameOf(c), kind, found }} />);
    })
    .post("/", able("define"), (c) => createCollection(c, kind))
    .get("/:key", (c) => showEditor(c, kind))
    .post("/:key/fields", able("define"), (c) => saveFields(c, kind))
    .get("/:key/settings", able("define"), (c) => showSettings(c, kind))
    .post("/:key/settings", able("define"), (c) => saveSettings(c, kind))
    .get("/:key/api", async (c) => {
      const now = await readDefinition(c.var.action, kind, c.req.param("key"));
      const shown = { frame: frameOf(c), now, host: originOf(c) };
      return answer(c, documentOf(now), () => <ApiPage {...shown} />);
    })
    .post("/:key/check-index", able("owners"), async (c) => {
      const key = c.req.param("key");
      await checkIndex(c.var.action, await visibleCollection(c.var.action, kind, key));
      say(c, "The search index is being checked; what is missing is mended.");
      return answerDone(c, null, `${words[kind].path}/${key}/settings`);
    })
    .get("/:key/openapi.json", async (c) => {
      const { collection } = await readDefinition(c.var.action, kind, c.req.param("key"));
      return c.json(openApiDocument(collection, hostOf(c)));
    })
    .get("/:key/json", (c) => showJson(c, kind))
    .post("/:key/json", able("define"), (c) => saveJson(c, kind))
    .route("/:key/items", itemRoutes(kind));
