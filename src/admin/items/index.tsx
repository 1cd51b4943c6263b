import { Hono } from "hono";
import { reopenSubmission, updateItem } from "#actions/update-item.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AdminEnv } from "#http/env.ts";
import { able } from "#admin/page.ts";
import { frameOf } from "#admin/layout.tsx";
import { importItems, startImport } from "#admin/items/import/import.tsx";
import { digestSeen } from "#admin/items/form/changes.ts";
import { ItemFormPage } from "#admin/items/form/item-form.tsx";
import { changeFromForm, createFromForm } from "#admin/items/form/save-item.tsx";
import { exportItems, listItems, actOnSelected } from "#admin/items/list/list.tsx";
import { opened } from "./load-item.ts";
import { showItem, revertItem, actOnItem, deleteItem } from "./item-actions.tsx";

/** The data of an app or a form. */
export const itemRoutes = (kind: CollectionKind) =>
  new Hono<AdminEnv>()
    .get("/", listItems(kind))
    .get("/export", (c) => exportItems(c, kind))
    .post("/selected", (c) => actOnSelected(c, kind))
    .get("/new", able("write"), async (c) => {
      const { collection } = (await opened(c, kind)).compiled;
      const frame = frameOf(c);
      const seen = await digestSeen(collection.definition.fields.fields, {}, frame.reader.zone);
      return c.html(<ItemFormPage {...{ frame, collection, seen }} />);
    })
    .get("/import", able("write"), (c) => startImport(c, kind))
    .post("/import", able("write"), (c) => importItems(c, kind))
    .post("/", able("write"), (c) => createFromForm(c, kind))
    .get("/:id", (c) => showItem(c, kind))
    .post("/:id", able("write"), (c) => changeFromForm(c, kind))
    .post("/:id/close", able("write"), (c) =>
      actOnItem(c, kind, "is closed", (one, ifMatch) =>
        updateItem(c.var.action, one, { status: "closed" }, ifMatch),
      ),
    )
    .post("/:id/reopen", able("write"), (c) =>
      actOnItem(c, kind, "is open again", (one, ifMatch) =>
        reopenSubmission(c.var.action, one, ifMatch),
      ),
    )
    .post("/:id/revert", able("write"), (c) =>
      actOnItem(c, kind, "is changed back", (one, ifMatch) => revertItem(c, one, ifMatch)),
    )
    .post("/:id/delete", able("write"), (c) => deleteItem(c, kind));
