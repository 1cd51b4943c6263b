import { Hono } from "hono";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { AdminEnv } from "#http/env.ts";
import { requireAbility } from "#admin/page.ts";
import { importItems, startPage } from "#admin/items/import/import.tsx";
import { createFromForm, editPage, newPage, updateFromForm } from "#admin/items/form/save-item.tsx";
import { actOnSelected } from "#admin/items/bulk/bulk.tsx";
import { exportItems } from "#admin/items/list/export.ts";
import { listItems, suggestRecords } from "#admin/items/list/list.tsx";
import { savedLists } from "#admin/items/list/saved.ts";
import { savedViews } from "#admin/items/list/saved-views.ts";
import { stepToNeighbor } from "./neighbors.ts";
import { deletedItemErasure, deletedItems } from "./deleted-items.tsx";
import { erasePage } from "./erase.tsx";
import { itemPage } from "./item-page.tsx";

/** Routes for the records of an app or the submissions of a form. */
export function itemRoutes(kind: CollectionKind) {
  const item = itemPage(kind);
  const edit = editPage(kind);
  const erasure = erasePage(kind);
  const deleted = deletedItems(kind);
  const deletedErasure = deletedItemErasure(kind);
  const write = requireAbility("write");
  const erase = requireAbility("erase");
  const define = requireAbility("define");
  const saved = savedLists(kind);
  const views = savedViews(kind);
  const routes = new Hono<AdminEnv>();
  if (kind === "app") routes.get("/choices", suggestRecords.show);
  return routes
    .get("/", listItems(kind))
    .get("/export", (c) => exportItems(c, kind))
    .post("/selected", (c) => actOnSelected(c, kind))
    .post("/columns", saved.columns)
    .post("/filters", saved.filter)
    .post("/filters/:filter", saved.changeFilter)
    .post("/filters/:filter/delete", saved.removeFilter)
    .post("/filters/:filter/share", define, views.share)
    .post("/views", define, views.create)
    .post("/views/:view", define, views.change)
    .post("/views/:view/delete", define, views.remove)
    .get("/new", write, newPage(kind).show)
    .get("/import", write, startPage(kind).show)
    .post("/import", write, (c) => importItems(c, kind))
    .post("/", write, (c) => createFromForm(c, kind))
    .get("/deleted", write, deleted.show)
    .post("/deleted/:id/restore", write, deleted.restore)
    .get("/deleted/:id/erase", erase, deletedErasure.show)
    .post("/deleted/:id/erase", erase, deletedErasure.erase)
    .get("/:id", (c, next) => {
      if (c.req.query("step") !== undefined) return stepToNeighbor(c, kind);
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
