import type { Context } from "hono";
import type { AdminEnv } from "../../../env";
import { itemHistory } from "../../../actions/changes/item-history";
import { deleteSubmission } from "../../../actions/items/delete-submission";
import { updateItem } from "../../../actions/items/update-item";
import type { Found } from "../../../actions/visible";
import { itemDocument } from "../../../documents/item";
import type { CollectionKind } from "../../../domain/definition/collection";
import { viewOf, type ItemView } from "../../../domain/item/item-view";
import { problem } from "../../../domain/problem/problem";
import { answerDone } from "../../frame/answers";
import { attempted } from "../../frame/attempted";
import { readSent } from "../../frame/negotiate";
import { numberOf } from "../../frame/sent";
import { say } from "../../frame/said";
import { drawItem } from "./draw-item";
import { formerData } from "./former-data";
import { titleOf } from "./title";
import { addressOf, foundItem, versionSent } from "../opened";

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
