import type { Context } from "hono";
import type { AdminEnv } from "../../../env";
import { itemHistory } from "../../../actions/changes/item-history";
import { historyDocument } from "../../../documents/history";
import { itemDocument } from "../../../documents/item";
import type { CollectionKind } from "../../../domain/definition/collection";
import { viewOf } from "../../../domain/item/item-view";
import { may } from "../../../domain/credential/roles";
import { answer } from "../../frame/answers";
import { frameOf } from "../../frame/frame";
import { digestSeen } from "../input/changes";
import { namesIn } from "./by";
import { ItemFormPage } from "./form/form-page";
import { HistoryList } from "./history";
import { ItemPage } from "./item-page";
import { addressOf, foundItem } from "../opened";

type C = Context<AdminEnv>;

export async function showItem(c: C, kind: CollectionKind): Promise<Response> {
  const { item, compiled } = await foundItem(c, kind);
  const { collection } = compiled;
  const view = viewOf(item, compiled);
  const frame = frameOf(c);
  const edits = c.req.query("edit") !== undefined && view.status !== "closed";
  if (!edits || !may(frame.member.role, "write")) {
    const history = await itemHistory(c.var.action, { item, compiled });
    const { fields } = collection.definition.fields;
    const at = `${addressOf(c, kind)}/${view.id}`;
    const list = <HistoryList {...{ frame, at, view, fields, history }} />;
    const shown = { frame, collection, view, history: list, names: namesIn(history) };
    return answer(c, { ...itemDocument(view), history: historyDocument(history) }, () => (
      <ItemPage {...shown} />
    ));
  }
  const seen = await digestSeen(collection.definition.fields.fields, view.data, frame.reader.zone);
  return answer(c, itemDocument(view), () => (
    <ItemFormPage {...{ frame, collection, view, seen }} />
  ));
}
