import { Hono, type Context } from "hono";
import { itemHistory, itemWithHistory } from "../../actions/changes/item-history";
import { deleteSubmission } from "../../actions/items/delete-submission";
import { reopenSubmission } from "../../actions/items/reopen-submission";
import { updateItem } from "../../actions/items/update-item";
import type { Found } from "../../actions/visible";
import { historyDocument } from "../../documents/history";
import { itemDocument } from "../../documents/item";
import type { CollectionKind } from "../../domain/definition/collection";
import { viewOf, type ItemView } from "../../domain/item/item-view";
import { may } from "../../domain/credential/permissions";
import { problem, type Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { able, answer, answerDone, attempted } from "../frame/answers";
import { frameOf } from "../frame/frame";
import { readSent } from "../frame/negotiate";
import { say } from "../frame/said";
import { importItems, startImport } from "./import/import";
import { seenOf } from "./input/changes";
import { namesIn } from "./item/by";
import { ItemFormPage } from "./item/form-page";
import { formerData, HistoryList } from "./item/history";
import { ItemPage } from "./item/item-page";
import { changeFromForm, createFromForm } from "./item/save";
import { titleOf } from "./item/title";
import { exportItems, listItems } from "./list/list";
import { actOnSelected } from "./list/selected";
import { addressOf, foundItem, keyOf, opened, versionSent } from "./opened";

type C = Context<AdminEnv>;

/** The data of an app or a form. */
export const itemRoutes = (kind: CollectionKind) =>
  new Hono<AdminEnv>()
    .get("/", (c) => listItems(c, kind))
    .get("/export", (c) => exportItems(c, kind))
    .post("/selected", (c) => actOnSelected(c, kind))
    .get("/new", able("write"), async (c) => {
      const { collection } = (await opened(c, kind)).compiled;
      const frame = frameOf(c);
      const seen = await seenOf(collection.definition.fields.fields, {}, frame.reader.zone);
      return c.html(<ItemFormPage {...{ frame, collection, seen }} />);
    })
    .get("/import", able("write"), (c) => startImport(c, kind))
    .post("/import", able("write"), (c) => importItems(c, kind))
    .post("/", able("write"), (c) => createFromForm(c, kind))
    .get("/:id", (c) => showItem(c, kind))
    .post("/:id", able("write"), (c) => changeFromForm(c, kind))
    .post("/:id/close", able("write"), (c) =>
      change(c, kind, "is closed", (one, ifMatch) =>
        updateItem(c.var.action, one, { status: "closed" }, ifMatch),
      ),
    )
    .post("/:id/reopen", able("write"), (c) =>
      change(c, kind, "is open again", (one, ifMatch) =>
        reopenSubmission(c.var.action, one, ifMatch),
      ),
    )
    .post("/:id/revert", able("write"), (c) =>
      change(c, kind, "is changed back", (one, ifMatch) => revert(c, one, ifMatch)),
    )
    .post("/:id/delete", able("write"), (c) => deleteItem(c, kind));

async function showItem(c: C, kind: CollectionKind): Promise<Response> {
  const edits = c.req.query("edit") !== undefined && may(c.var.member.role, "write");
  if (!edits) return showWithHistory(c, kind);
  const { item, compiled } = await foundItem(c, kind);
  if (item.status === "closed") return c.redirect(`${addressOf(c, kind)}/${item.id}`, 303);
  const { collection } = compiled;
  const view = viewOf(item, compiled);
  const frame = frameOf(c);
  const seen = await seenOf(collection.definition.fields.fields, view.data, frame.reader.zone);
  return answer(c, itemDocument(view), () => (
    <ItemFormPage {...{ frame, collection, view, seen }} />
  ));
}

async function showWithHistory(c: C, kind: CollectionKind): Promise<Response> {
  const { view, history, page } = await drawn(c, kind);
  return answer(c, { ...itemDocument(view), history: historyDocument(history) }, page);
}

/** The item as it is now, and how it came to be so. */
async function drawn(c: C, kind: CollectionKind, refusal?: Problem) {
  const name = { kind, key: keyOf(c), id: c.req.param("id") ?? "" };
  const { found, history } = await itemWithHistory(c.var.action, name);
  const { collection } = found.compiled;
  const view = viewOf(found.item, found.compiled);
  const frame = frameOf(c);
  const { fields } = collection.definition.fields;
  const at = `${addressOf(c, kind)}/${view.id}`;
  const list = <HistoryList {...{ frame, at, view, fields, history }} />;
  const shown = { frame, collection, view, history: list, names: namesIn(history) };
  return { view, history, page: () => <ItemPage {...shown} problem={refusal} /> };
}

/** The former values of one change, as a change of the version that is seen. */
async function revert(c: C, one: Found, ifMatch: string[] | null): Promise<ItemView> {
  const sent = await readSent(c);
  const { entries } = await itemHistory(c.var.action, one);
  const entry = entries.find(({ version }) => String(version) === String(sent["change"]));
  const { fields } = one.compiled.collection.definition.fields;
  const data = formerData(entry?.fields ?? [], fields);
  if (Object.keys(data).length === 0) {
    const reason = "Must be the version of a change whose former values are known.";
    throw problem.invalidInput([{ field: "change", code: "not_an_option", reason }]);
  }
  return updateItem(c.var.action, one, { data }, ifMatch);
}

async function change(
  c: C,
  kind: CollectionKind,
  done: string,
  act: (one: Found, ifMatch: string[] | null) => Promise<ItemView>,
): Promise<Response> {
  const one = await foundItem(c, kind);
  const { fields } = one.compiled.collection.definition.fields;
  return attempted(
    c,
    async () => {
      const view = await act(one, versionSent(await readSent(c)));
      say(c, `${titleOf(view, fields)} ${done}.`);
      return answerDone(c, itemDocument(view), `${addressOf(c, kind)}/${view.id}`);
    },
    async (refusal) => (await drawn(c, kind, refusal)).page(),
  );
}

async function deleteItem(c: C, kind: CollectionKind): Promise<Response> {
  const one = await foundItem(c, kind);
  if (kind === "app") throw problem.notFound();
  return attempted(
    c,
    async () => {
      await deleteSubmission(c.var.action, one, versionSent(await readSent(c)));
      const { fields } = one.compiled.collection.definition.fields;
      say(c, `${titleOf(viewOf(one.item, one.compiled), fields)} is deleted.`);
      return answerDone(c, null, addressOf(c, kind));
    },
    async (refusal) => (await drawn(c, kind, refusal)).page(),
  );
}
