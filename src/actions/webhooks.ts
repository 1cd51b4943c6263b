import { isVisible, type Resources } from "#domain/credential/credential.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { problem } from "#domain/problem/problem.ts";
import { type Webhook, parseWebhook, webhookBody, webhookChange, listensTo, mostWebhooks } from "#domain/webhook/webhook.ts";
import { findWebhook, listWebhooks, deleteWebhook, insertWebhook, updateWebhook } from "#store/home/webhooks.ts";
import { type WebhookContext, act } from "./context.ts";
import { etagOf, matches, type Precondition } from "#domain/preconditions.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { deletedWebhooks, dropDeleted, readHeads, knownNames, readStarts, presentStarts, type Starts } from "#store/home/listeners.ts";
import { untilSettled } from "./idempotent.ts";
import { newSecret, outgoing } from "./deliveries.ts";

type Seeing = Pick<WebhookContext, "actor" | "resources">;

/** One's own, and those that listen only to what one sees. */
function sees({ actor, resources }: Seeing, { maker, collections }: Webhook): boolean {
  if (maker === actor || resources === "all") return true;
  return collections !== "all" && collections.every((name) => isNamed(resources, name));
}

/** Whether a collection, named as `app:KEY` or `form:KEY`, is among the visible ones. */
export function isNamed(resources: Resources, name: string): boolean {
  const [kind, key = ""] = name.split(":");
  return isVisible(resources, kind as CollectionKind, key);
}

/** Those of `hooks` that the caller sees. */
export function seenAmong(ctx: Seeing, hooks: readonly Webhook[]): Webhook[] {
  return hooks.filter((hook) => sees(ctx, hook));
}

function seen(ctx: Seeing, hook: Webhook): Webhook {
  if (!sees(ctx, hook)) throw problem.notFound();
  return hook;
}

type Reading = Pick<WebhookContext, "db">;

/** In the order in which they were made, whoever asks. */
export const everyWebhook = ({ db }: Reading): Promise<Webhook[]> => listWebhooks(db);

/** The same, whoever asks. */
export async function oneWebhook({ db }: Reading, id: string): Promise<Webhook> {
  const hook = await findWebhook(db, id);
  if (!hook) throw problem.notFound();
  return hook;
}

export async function visibleWebhooks(ctx: WebhookContext): Promise<Webhook[]> {
  return seenAmong(ctx, await everyWebhook(ctx));
}

export async function visibleWebhook(ctx: WebhookContext, id: string): Promise<Webhook> {
  return seen(ctx, await oneWebhook(ctx, id));
}

/** A webhook, with its newest secret where it was made just now: it is shown this once. */
export interface Shown {
  hook: Webhook;
  secret: string | null;
}

const subjectOf = (id: string) => `webhook:${id}`;

export async function createWebhook(ctx: WebhookContext, body: unknown): Promise<Shown> {
  const sent = parseWebhook(webhookBody, body, ctx.localReceivers);
  await refuseUnseen(ctx, sent.collections);
  const id = `whk_${ctx.newId()}`;
  const { secret, kept } = await newSecret(ctx, id);
  const now = ctx.now();
  const hook: Webhook = {
    id,
    version: 1,
    name: sent.name,
    url: sent.url,
    types: [...new Set(sent.types)],
    collections: distinct(sent.collections),
    include: sent.include ?? "item",
    state: "active",
    reason: null,
    secrets: [kept],
    maker: ctx.actor,
    createdAt: now,
    updatedAt: now,
  };
  const starts = await presentStarts(ctx.db, hook.collections);
  const entry = act(ctx, "webhook.create", subjectOf(id), { version: 1 });
  if (!(await insertWebhook(ctx.db, hook, starts, mostWebhooks, entry))) throw tooMany();
  return { hook, secret };
}

function tooMany() {
  const reason = `There are ${mostWebhooks} webhooks, which is the most. Delete one that is not needed.`;
  return problem.invalidInput([
    { field: "webhooks", code: "too_large", reason, maximum: mostWebhooks },
  ]);
}

const distinct = (collections: Webhook["collections"]) =>
  collections === "all" ? collections : [...new Set(collections)];

/** What is outside the caller's list is told as what does not exist. */
async function refuseUnseen(ctx: WebhookContext, sent: Webhook["collections"]): Promise<void> {
  if (sent === "all") return;
  const known = await knownNames(ctx.db, sent);
  const errors = sent.flatMap((name, i) => {
    if (known.includes(name) && isNamed(ctx.resources, name)) return [];
    const reason = `There is no ${name.replace(":", " ")}, or it is not visible to this credential.`;
    return [errorAt(["collections", i], "not_an_option", reason)];
  });
  if (errors.length > 0) throw problem.invalidInput(errors);
}

/** Changes what is given of it; merged onto what it is by then, or a 412 where the caller named the version. */
export function changeWebhook(
  ctx: WebhookContext,
  found: Webhook,
  body: unknown,
  ifMatch: Precondition | null,
): Promise<Shown> {
  return onCurrent(ctx, found, ifMatch, async (before) => {
    const sent = parseWebhook(webhookChange, body, ctx.localReceivers);
    const { rotate_secret: rotation, ...given } = sent;
    if (given.collections) await refuseUnseen(ctx, given.collections);
    const changed = withGiven(ctx, before, given);
    const made = rotation ? await newSecret(ctx, before.id) : null;
    const overlap = (rotation?.overlap_hours ?? 0) * 3_600_000;
    const secrets = made && [...outgoing(before, ctx.now(), overlap), made.kept];
    const after = secrets ? { ...changed, secrets } : changed;
    const resume = () => ctx.later(() => ctx.objects.resume(before.id));
    if (JSON.stringify(after) === JSON.stringify(before)) {
      // It is active as it was, and may wait for its next try.
      if (given.state === "active") resume();
      return { hook: before, secret: null };
    }
    const next = { ...after, updatedAt: ctx.now() };
    const starts = given.collections ? await startsAfter(ctx, before, next) : null;
    const version = before.version + 1;
    const entry = act(ctx, made ? "webhook.rotate" : "webhook.change", subjectOf(before.id), {
      version,
    });
    if (!(await updateWebhook(ctx.db, next, starts, entry))) return undefined;
    const named = Object.keys(sent).every((name) => name === "name");
    if (next.state === "active" && !named) resume();
    return { hook: { ...next, version }, secret: made?.secret ?? null };
  });
}

type Given = Partial<Pick<Webhook, "name" | "url" | "types" | "collections" | "include">> & {
  state?: "active" | "paused";
};

/** What decides where messages go, and what they tell. */
const telling = ["url", "types", "collections", "include"] as const;

/** Whoever says where it goes or what it tells becomes its maker: it tells nothing that this one may not read. */
function withGiven(
  ctx: WebhookContext,
  before: Webhook,
  given: { [Name in keyof Given]: Given[Name] | undefined },
): Webhook {
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  const after: Webhook = { ...before, ...(Object.fromEntries(named) as Given) };
  after.collections = distinct(after.collections);
  after.types = [...new Set(after.types)];
  if (given.state !== undefined) after.reason = null;
  const taken = telling.some((name) => given[name] !== undefined);
  return taken ? { ...after, maker: ctx.actor } : after;
}

/** It goes on where it listened before, and begins at this moment where it did not. */
async function startsAfter(ctx: WebhookContext, before: Webhook, after: Webhook): Promise<Starts> {
  const [former, heads] = await Promise.all([
    readStarts(ctx.db, before.id),
    readHeads(ctx.db, after.collections),
  ]);
  const starts: Starts = {};
  for (const { id, kind, key, last } of heads) {
    const start = listensTo(before, `${kind}:${key}`) ? former[id] : last;
    if (start !== undefined) starts[id] = start;
  }
  return starts;
}

export async function removeWebhook(
  ctx: WebhookContext,
  found: Webhook,
  ifMatch: Precondition | null,
): Promise<void> {
  await onCurrent(ctx, found, ifMatch, async (before) => {
    const entry = act(ctx, "webhook.delete", subjectOf(before.id), { version: before.version });
    return (await deleteWebhook(ctx.db, before, entry)) || undefined;
  });
  ctx.later(() => forgetDeleted(ctx, found.id));
}

/** Its row goes once its object has forgotten it. */
async function forgetDeleted(
  { db, objects }: Pick<WebhookContext, "db" | "objects">,
  id: string,
): Promise<void> {
  await objects.forget(id);
  await dropDeleted(db, id);
}

/** What was left of webhooks that are deleted. */
export async function sweepWebhooks(ctx: Pick<WebhookContext, "db" | "objects">): Promise<void> {
  for (const id of await deletedWebhooks(ctx.db)) await forgetDeleted(ctx, id);
}

async function onCurrent<T>(
  ctx: WebhookContext,
  found: Webhook,
  ifMatch: Precondition | null,
  write: (before: Webhook) => Promise<T | undefined>,
): Promise<T> {
  let current = found;
  return untilSettled(async () => {
    const etag = etagOf(current.version);
    if (ifMatch && !matches(ifMatch, etag)) throw problem.versionMismatch(etag);
    const written = await write(current);
    if (written === undefined) current = await visibleWebhook(ctx, current.id);
    return written;
  });
}
