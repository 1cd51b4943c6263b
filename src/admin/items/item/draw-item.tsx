import type { Context } from "hono";
import type { AdminEnv } from "../../../env";
import { itemWithHistory } from "../../../actions/changes/item-history";
import type { CollectionKind } from "../../../domain/definition/collection";
import { viewOf } from "../../../domain/item/item-view";
import type { Problem } from "../../../domain/problem/problem";
import { frameOf } from "../../frame/frame";
import { namesIn } from "./by";
import { HistoryList } from "./history";
import { ItemPage } from "./item-page";
import { addressOf, keyOf } from "../opened";

/** The item as it is now, and how it came to be so. */
export async function drawItem(c: Context<AdminEnv>, kind: CollectionKind, refusal?: Problem) {
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
