import type { Context } from "hono";
import type { AdminEnv } from "../../../env";
import { historyDocument } from "../../../documents/history";
import { itemDocument } from "../../../documents/item";
import type { CollectionKind } from "../../../domain/definition/collection";
import { viewOf } from "../../../domain/item/item-view";
import { may } from "../../../domain/credential/roles";
import { answer } from "../../frame/answers";
import { frameOf } from "../../frame/frame";
import { digestSeen } from "../input/changes";
import { drawItem } from "./draw-item";
import { ItemFormPage } from "./form/form-page";
import { addressOf, foundItem } from "../opened";

type C = Context<AdminEnv>;

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
