import { Hono } from "hono";
import { reopenSubmission } from "../../actions/items/reopen-submission";
import { updateItem } from "../../actions/items/update-item";
import type { CollectionKind } from "../../domain/definition/collection";
import type { AdminEnv } from "../../env";
import { able } from "../frame/answers";
import { frameOf } from "../frame/frame";
import { importItems, startImport } from "./import/import";
import { digestSeen } from "./input/changes";
import { ItemFormPage } from "./item/form/form-page";
import { changeFromForm } from "./item/form/change-from-form";
import { createFromForm } from "./item/form/create-from-form";
import { exportItems } from "./list/export";
import { listItems } from "./list/list";
import { actOnSelected } from "./list/selected";
import { opened } from "./opened";
import { showItem } from "./item/show-item";
import { revertItem, actOnItem, deleteItem } from "./item/act-on-item";

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
