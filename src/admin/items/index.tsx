import { Hono } from "hono";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { AdminEnv } from "#http/env.ts";
import { requireAbility } from "#admin/page.ts";
import { importItems, startPage } from "#admin/items/import/import.tsx";
import { createFromForm, editPage, newPage, updateFromForm } from "#admin/items/form/save-item.tsx";
import { exportItems, listItems, actOnSelected, suggestRecords } from "#admin/items/list/list.tsx";
import { erasePage } from "./erase.tsx";
import { itemPage } from "./item-page.tsx";

/** Routes for the records of an app or the submissions of a form. */
export function itemRoutes(kind: CollectionKind) {
  const item = itemPage(kind);
  const edit = editPage(kind);
  const erasure = erasePage(kind);
  const write = requireAbility("write");
  const erase = requireAbility("erase");
  const routes = new Hono<AdminEnv>();
  if (kind === "app") routes.get("/choices", suggestRecords.show);
  return routes
    .get("/", listItems(kind))
    .get("/export", (c) => exportItems(c, kind))
    .post("/selected", (c) => actOnSelected(c, kind))
    .get("/new", write, newPage(kind).show)
    .get("/import", write, startPage(kind).show)
    .post("/import", write, (c) => importItems(c, kind))
    .post("/", write, (c) => createFromForm(c, kind))
    .get("/:id", (c, next) => {
      const isEditing = c.req.query("edit") !== undefined && roleAllows(c.var.member.role, "write");
      return (isEditing ? edit : item).show(c, next);
    })
    .post("/:id", write, (c) => updateFromForm(c, kind))
    .post("/:id/close", write, item.close)
    .post("/:id/reopen", write, item.reopen)
    .post("/:id/revert", write, item.revert)
    .post("/:id/delete", write, item.remove)
    .get("/:id/erase", erase, erasure.show)
    .post("/:id/erase", erase, erasure.erase);
}
