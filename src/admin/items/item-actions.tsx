import type { Context } from "hono";
import type { AdminEnv } from "#http/env.ts";
import { itemHistory } from "#actions/changes.ts";
import { deleteSubmission, updateItem } from "#actions/update-item.ts";
import type { Found } from "#actions/visible.ts";
import { itemDocument, historyDocument } from "#documents/items.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { viewOf, type ItemView } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { answerDone, attempted, answer } from "#admin/page.ts";
import { readSent, numberOf } from "#admin/form-input.ts";
import { say } from "#admin/preferences.ts";
import { drawItem } from "./item-page.tsx";
import { formerData } from "./history.tsx";
import { titleOf } from "./value.tsx";
import { addressOf, foundItem, versionSent } from "./load-item.ts";
import { may } from "#domain/credential/permissions.ts";
import { frameOf } from "#admin/layout.tsx";
import { digestSeen } from "#admin/items/form/changes.ts";
import { ItemFormPage } from "#admin/items/form/item-form.tsx";

type C = Context<AdminEnv>;

/** The former values of one change, as a change of the version that is seen. */
export async function revertItem(c: C, one: Found, ifMatch: string[] | null): Promise<ItemView> {
  const sent = await readSent(c);
  const { entries } = await itemHistory(c.var.action, one);
  const entry = entries.find(({ version }) => version === numberOf(sent["change"]));
  const { fields } = one.compiled.collection.definition.fields;
  const data = formerData(entry?.fields ?? [], fields);
  if (Object.keys(data).length === 0) {
    const reason = "Must be the version of a change whose former values are known.";
    throw problem.invalidInput([{ field: "change", code: "not_an_option", reason }]);
  }
  return updateItem(c.var.action, one, { data }, ifMatch);
}

export async function actOnItem(
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
    async (refusal) => (await drawItem(c, kind, refusal)).page(),
  );
}

export async function deleteItem(c: C, kind: CollectionKind): Promise<Response> {
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
    async (refusal) => (await drawItem(c, kind, refusal)).page(),
  );
}

export async function showItem(c: C, kind: CollectionKind): Promise<Response> {
  const edits = c.req.query("edit") !== undefined && may(c.var.member.role, "write");
  if (!edits) return showWithHistory(c, kind);
  const { item, compiled } = await foundItem(c, kind);
  if (item.status === "closed") return c.redirect(`${addressOf(c, kind)}/${item.id}`, 303);
  const { collection } = compiled;
  const view = viewOf(item, compiled);
  const frame = frameOf(c);
  const seen = await digestSeen(collection.definition.fields.fields, view.data, frame.reader.zone);
  return answer(c, itemDocument(view), () => (
    <ItemFormPage {...{ frame, collection, view, seen }} />
  ));
}

async function showWithHistory(c: C, kind: CollectionKind): Promise<Response> {
  const { view, history, page } = await drawItem(c, kind);
  return answer(c, { ...itemDocument(view), history: historyDocument(history) }, page);
}
