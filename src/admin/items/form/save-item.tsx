import type { Compiled } from "#domain/data/compile.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import { textOf, type Sent, readSent } from "#admin/form-input.ts";
import type { Field } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { sentData, refuseTooMany } from "./read-form.ts";
import { zoneSent } from "./values.ts";
import type { Context } from "hono";
import { itemHistory } from "#actions/changes.ts";
import { updateItem } from "#actions/update-item.ts";
import { untilSettled, noKey } from "#actions/idempotent.ts";
import type { Found } from "#actions/visible.ts";
import { itemDocument } from "#documents/items.ts";
import { etagOf } from "#domain/preconditions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { viewOf, type ItemView } from "#domain/item/item.ts";
import type { AdminEnv } from "#http/env.ts";
import { answerDone, attempted } from "#admin/page.ts";
import { frameOf } from "#admin/layout.tsx";
import { say } from "#admin/preferences.ts";
import { compareChanges, digestSeen, seenSent, type Changes, type Seen } from "./changes.ts";
import { addressOf, foundItem, versionSent, opened } from "#admin/items/load-item.ts";
import { namesIn, titleOf } from "#admin/items/value.tsx";
import { ItemFormPage } from "./item-form.tsx";
import { createItem } from "#actions/create-item.ts";

/** A refusal that names one field is told beside it, as others are. */
export function named(refusal: Problem, { collection }: Compiled): Problem {
  const field = textOf(refusal.members["field"]);
  if (field === "" || refusal.members["errors"] !== undefined) return refusal;
  const label = collection.definition.fields.fields.find(({ key }) => key === field)?.label;
  const reason = refusal.detail.replace(`"${field}"`, `“${label ?? field}”`);
  return new Problem(
    refusal.code,
    refusal.detail,
    { ...refusal.members, errors: [{ field, reason }] },
    refusal.headers,
  );
}

export const fieldsOf = ({ collection }: Compiled) => collection.definition.fields.fields;
export const sentZone = (sent: Sent, { collection }: Compiled) =>
  zoneSent(sent["$zone"], collection.definition.time_zone);

/** The body that the API takes, from a program that has it ready, or from all that a form sent. */
export function sentBody(sent: Sent, compiled: Compiled): Record<string, unknown> {
  const { version: _, $version: __, ...body } = sent;
  if (isObject(sent["data"])) return body;
  const fields = fieldsOf(compiled);
  const status = sentStatus(sent, fields);
  const data = sentData(fields, sent, sentZone(sent, compiled));
  const given = Object.entries(data).filter(
    ([key, value]) => sent["$seen"] !== undefined || Object.hasOwn(sent, key) || isFilled(value),
  );
  return { ...status, data: Object.fromEntries(given) };
}

const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0;

/** The status that was asked for; programs call it `status`, where no field is called so. */
export function sentStatus(sent: Sent, fields: readonly Field[]): { status?: string } {
  const plain = fields.some(({ key }) => key === "status") ? undefined : sent["status"];
  const status = textOf(sent["$status"] ?? plain);
  return status === "" ? {} : { status };
}

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

export async function createFromForm(c: C, kind: CollectionKind): Promise<Response> {
  const { compiled } = await opened(c, kind);
  const sent = await readSent(c);
  refuseTooMany(fieldsOf(compiled), sent);
  const again = async (refusal: Problem | undefined) => (
    <ItemFormPage
      frame={frameOf(c)}
      collection={compiled.collection}
      seen={await digestSeen(fieldsOf(compiled), {}, sentZone(sent, compiled))}
      sent={sent}
      problem={refusal && named(refusal, compiled)}
    />
  );
  if (sent["$more"] !== undefined) return c.html(await again(undefined));
  return attempted(
    c,
    async () => {
      const body = sentBody(sent, compiled);
      const { answer: view } = await createItem(c.var.action, compiled, body, noKey);
      say(
        c,
        `${titleOf(view, fieldsOf(compiled))} is saved${view.status === "draft" ? " as a draft" : ""}.`,
      );
      return answerDone(c, itemDocument(view), `${addressOf(c, kind)}/${view.id}`, 201);
    },
    again,
  );
}
