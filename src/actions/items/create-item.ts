import type { Actor } from "../../domain/actor";
import type { Warning } from "../../domain/data/warnings";
import type { Compiled } from "../../domain/data/compile";
import { searchEntries } from "../../domain/data/search-entries";
import { showData } from "../../domain/data/show";
import { uniqueValues } from "../../domain/data/unique-values";
import { refuseTooLarge, refuseTooManyEntries } from "../../domain/item/item-size";
import { problem, type FieldError } from "../../domain/problem/problem";
import { createdFields } from "../../domain/item/change";
import { receiptNumber } from "../../domain/item/receipt";
import type { Status } from "../../domain/item/status";
import {
  createItem as store,
  findReplay,
  type Claim,
  type NewItem,
  type Replay,
} from "../../store/items/create-item";
import { itemAct, type ActionContext } from "../context";
import { currentOf, draftOf, duplicateOf, refuseClosed, refuseEmptied, type Draft } from "./draft";
import type { ItemView } from "../../domain/item/item-view";
import { untilSettled } from "../until-settled";

/** The Idempotency-Key of a create that can be one; `invalid` where it cannot. */
export type IdempotencyKey = Idempotency | { invalid: FieldError } | null;

interface Idempotency {
  /** SHA-256 of credential, route and key. */
  key: string;
  /** SHA-256 of the body's canonical form. */
  fingerprint: string;
  /** The answer, if the cache gave it in time. */
  recalled: Replay | undefined;
}

export interface Creation {
  view: ItemView;
  /** Set when the key had been used: this is the first result, whatever has become of the item. */
  replayed: boolean;
  /** Whether the key came with another body this time. */
  mismatch: boolean;
  /** What a cache may remember for the key. */
  replay: Replay | undefined;
}

const rememberFor = 24 * 60 * 60 * 1000;

/** Creates a record or submission, once for each key. `body` is JSON that nothing has judged yet. */
export async function createItem(
  ctx: ActionContext,
  known: Compiled,
  body: unknown,
  key: IdempotencyKey,
): Promise<Creation> {
  const idempotency = key && "key" in key ? key : null;
  const invalidKey = key && "invalid" in key ? [key.invalid] : [];
  if (idempotency?.recalled) return replayOf(known, idempotency.recalled, idempotency);
  let compiled = known;
  return untilSettled(async () => {
    const draft = draftOf(compiled, body, ctx.now());
    draft.errors.unshift(...invalidKey);
    if (draft.errors.length > 0) {
      const replay = idempotency && (await findReplay(ctx.db, idempotency.key, ctx.now()));
      if (replay) return replayOf(compiled, replay, idempotency);
      const now = await currentOf(ctx, compiled);
      refuseClosed(now, ctx.now());
      if (now.compiled === compiled) throw problem.invalidInput(draft.errors);
      compiled = now.compiled;
      return undefined;
    }
    const created = await storeDraft(ctx, compiled, draft, idempotency);
    if (!created) compiled = (await currentOf(ctx, compiled)).compiled;
    return created;
  });
}

/** Stores the draft. Gives nothing when the definition has changed, or a duplicate has gone: try again. */
async function storeDraft(
  ctx: ActionContext,
  compiled: Compiled,
  draft: Draft,
  idempotency: Idempotency | null,
): Promise<Creation | undefined> {
  refuseEmptied(compiled.collection, draft.data);
  const { answer, written, item } = newItem(ctx, compiled, draft);
  const claim: Claim | null = idempotency && {
    key: idempotency.key,
    fingerprint: idempotency.fingerprint,
    answer: written,
    expiresAt: item.now + rememberFor,
  };
  const action = compiled.collection.kind === "app" ? "record.create" : "submission.create";
  const created = await store(ctx.db, item, claim, itemAct(ctx, action, item.now));
  switch (created.outcome) {
    case "created": {
      const given = { itemId: item.id, place: created.place, createdAt: created.createdAt };
      const view = answerView(compiled, answer, given);
      const replay = claim ? { ...claim, ...given } : undefined;
      return { view, replayed: false, mismatch: false, replay };
    }
    case "replayed":
      return replayOf(compiled, created.replay, idempotency);
    case "closed":
      throw problem.submissionsClosed(created.reason);
    case "duplicate":
      if (created.taken.length === 0) return undefined;
      throw duplicateOf(ctx, compiled, created.taken);
    case "definition_changed":
      return undefined;
  }
}

/** What is to be stored and answered; refuses what would be too large. */
export function newItem(
  ctx: ActionContext,
  compiled: Compiled,
  draft: Draft,
): { answer: Answer; written: string; item: NewItem } {
  const { kind, id: collectionId, version, revision } = compiled.collection;
  const { status, data } = draft;
  const id = `${kind === "app" ? "rec" : "sub"}_${ctx.newId()}`;
  const entries = searchEntries(compiled.collection, data, { id, status });
  refuseTooManyEntries(entries);
  const answer = answerOf(ctx, compiled, draft);
  const written = JSON.stringify(answer);
  const item = {
    id,
    collectionId,
    version,
    revision,
    now: ctx.now(),
    status,
    receiptPrefix: answer.prefix,
    data: JSON.stringify(data),
    entries: JSON.stringify(entries),
    unique: uniqueValues(compiled.collection, data, status),
    changedFields: createdFields({ data, status }),
  };
  refuseTooLarge(written, item.data, item.entries);
  return { answer, written, item };
}

/** What the first answer to a key said, apart from the place and the time that the database gave. */
interface Answer {
  prefix: string | null;
  createdBy: Actor;
  status: Status | null;
  data: Record<string, unknown>;
  warnings: Warning[];
}

function answerOf(
  { actor: createdBy }: ActionContext,
  compiled: Compiled,
  { status, data, warnings }: Draft,
): Answer {
  const { kind, definition } = compiled.collection;
  const prefix = kind === "app" ? definition.receipt_prefix : null;
  return { prefix, createdBy, status, data: showData(compiled, data), warnings };
}

function replayOf(compiled: Compiled, replay: Replay, idempotency: Idempotency | null): Creation {
  const view = answerView(compiled, JSON.parse(replay.answer) as Answer, replay);
  const mismatch = replay.fingerprint !== idempotency?.fingerprint;
  return { view, replayed: true, mismatch, replay };
}

function answerView(
  { collection }: Compiled,
  { prefix, createdBy, status, data, warnings }: Answer,
  { itemId, place, createdAt }: Pick<Replay, "itemId" | "place" | "createdAt">,
): ItemView {
  return {
    id: itemId,
    kind: collection.kind,
    key: collection.key,
    receiptNumber: prefix === null ? null : receiptNumber(prefix, place),
    status,
    version: 1,
    createdAt,
    createdBy,
    updatedAt: createdAt,
    updatedBy: createdBy,
    data,
    redefined: false,
    warnings,
  };
}
