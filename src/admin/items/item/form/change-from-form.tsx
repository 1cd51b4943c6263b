import type { Context } from "hono";
import { itemHistory } from "../../../../actions/changes/item-history";
import { updateItem } from "../../../../actions/items/update-item";
import { untilSettled } from "../../../../actions/until-settled";
import type { Found } from "../../../../actions/visible";
import { itemDocument } from "../../../../documents/item";
import { etagOf } from "../../../../domain/etag";
import type { CollectionKind } from "../../../../domain/definition/collection";
import type { Field } from "../../../../domain/definition/field";
import { viewOf, type ItemView } from "../../../../domain/item/item-view";
import { isObject } from "../../../../domain/json";
import { Problem, problem } from "../../../../domain/problem/problem";
import type { AdminEnv } from "../../../../env";
import { answerDone } from "../../../frame/answers";
import { attempted } from "../../../frame/attempted";
import { frameOf } from "../../../frame/frame";
import { readSent } from "../../../frame/negotiate";
import { say } from "../../../frame/said";
import type { Sent } from "../../../frame/sent";
import { compareChanges, digestSeen, seenSent, type Changes, type Seen } from "../../input/changes";
import { refuseTooMany } from "../../input/drawn-rows";
import { addressOf, foundItem, versionSent } from "../../opened";
import { namesIn } from "../by";
import { ItemFormPage } from "./form-page";
import { named } from "./refusal";
import { titleOf } from "../title";
import { fieldsOf, sentZone, sentBody, sentStatus } from "./sent-body";

type C = Context<AdminEnv>;

/** Saves what differs from what was seen. What others changed meanwhile stays, or is asked about. */
export async function changeFromForm(c: C, kind: CollectionKind): Promise<Response> {
  const sent = await readSent(c);
  const seen = isObject(sent["data"]) ? undefined : seenSent(sent);
  let now = await foundItem(c, kind);
  refuseTooMany(fieldsOf(now.compiled), sent);
  if (sent["$more"] !== undefined) return c.html(await drawn(c, now, sent, seen, undefined));
  return attempted(
    c,
    async () => {
      if (!seen) {
        const body = sentBody(sent, now.compiled);
        const view = await updateItem(c.var.action, now, body, versionSent(sent));
        return answerDone(c, itemDocument(view), `${addressOf(c, kind)}/${view.id}`);
      }
      const saved = await untilSettled(async () => {
        const outcome = await merged(c, now, sent, seen);
        if (!outcome) now = await foundItem(c, kind);
        return outcome;
      });
      const { view, theirs } = saved;
      say(c, saidOf(now, view, theirs));
      return answerDone(c, itemDocument(view), `${addressOf(c, kind)}/${view.id}`);
    },
    async (refusal) => {
      now = await foundItem(c, kind);
      return drawn(c, now, sent, seen, refusal);
    },
  );
}

/** The item with the changes; nothing where it changed again in between. */
async function merged(
  c: C,
  now: Found,
  sent: Sent,
  seen: Seen,
): Promise<{ view: ItemView; theirs: Field[] } | undefined> {
  const { item, compiled } = now;
  const fields = fieldsOf(compiled);
  const { data } = viewOf(item, compiled);
  const { mine, theirs, both } = await compareChanges(
    fields,
    sent,
    seen,
    data,
    sentZone(sent, compiled),
  );
  if (both.length > 0) {
    const labels = both.map(({ label }) => label).join(", ");
    throw problem.conflict(
      `Somebody else changed this as well: ${labels}. Nothing was saved yet; choose which value stays.`,
    );
  }
  const body = { ...sentStatus(sent, fields), data: mine };
  const ifMatch = [etagOf(item.version)];
  try {
    return { view: await updateItem(c.var.action, now, body, ifMatch), theirs };
  } catch (error) {
    if (error instanceof Problem && error.code === "version_mismatch") return undefined;
    throw error;
  }
}

function saidOf({ item, compiled }: Found, view: ItemView, theirs: readonly Field[]): string {
  const title = titleOf(view, fieldsOf(compiled));
  if (view.version === item.version) return `Nothing was changed in ${title}.`;
  const also =
    theirs.length > 0
      ? ` What others changed meanwhile is kept: ${theirs.map(({ label }) => label).join(", ")}.`
      : "";
  return `${title} is saved.${also}`;
}

/** The form again, with what was written, on what is stored now. */
async function drawn(
  c: C,
  { item, compiled }: Found,
  sent: Sent,
  seen: Seen | undefined,
  refusal: Problem | undefined,
) {
  const fields = fieldsOf(compiled);
  const view = viewOf(item, compiled);
  const zone = sentZone(sent, compiled);
  const changes: Changes | undefined =
    seen && (await compareChanges(fields, sent, seen, view.data, zone));
  const clash =
    changes && refusal?.code === "conflict"
      ? {
          ...changes,
          now: view,
          names: namesIn(await itemHistory(c.var.action, { item, compiled })),
        }
      : undefined;
  return (
    <ItemFormPage
      frame={frameOf(c)}
      collection={compiled.collection}
      view={view}
      seen={await digestSeen(fields, view.data, zone)}
      sent={sent}
      written={changes && new Set(Object.keys(changes.mine))}
      clash={clash}
      problem={refusal && named(refusal, compiled)}
    />
  );
}
