import type { Actor } from "../../domain/actor";
import type { Warning } from "../../domain/data/warnings";
import type { Compiled } from "../../domain/data/compile";
import { searchEntries } from "../../domain/data/search-entries";
import { showData } from "../../domain/data/show";
import { uniqueValues } from "../../domain/data/unique-values";
import { refuseTooLarge, refuseTooManyEntries } from "../../domain/item/item-size";
import { problem } from "../../domain/problem/problem";
import { createdFields } from "../../domain/item/change";
import { newItemId } from "../../domain/item/item-id";
import { receiptNumber } from "../../domain/item/receipt";
import type { Status } from "../../domain/item/status";
import { createItem as store, type NewItem } from "../../store/items/create-item";
import type { Claim, Given } from "../../store/items/replays";
import { itemAct, type ActionContext } from "../context";
import {
  readCurrent,
  draftOf,
  duplicateProblem,
  refuseClosed,
  refuseEmptied,
  type Draft,
} from "./draft";
import type { ItemView } from "../../domain/item/item-view";
import { oncePerKey, type Once, type Prepared, type SentKey } from "../once-per-key";

/** Creates a record or submission, once for each key. `body` is JSON that nothing has judged yet. */
export function createItem(
  ctx: ActionContext,
  known: Compiled,
  body: unknown,
  key: SentKey,
): Promise<Once<ItemView>> {
  let compiled = known;
  return oncePerKey(ctx, key, body, {
    judge() {
      const draft = draftOf(compiled, body, ctx.now());
      const errors = [...key.errors, ...draft.errors];
      if (errors.length > 0) throw problem.invalidInput(errors);
      refuseEmptied(compiled.collection, draft.data);
      return newItem(ctx, compiled, draft);
    },
    async refuse(refusal) {
      const now = await readCurrent(ctx, compiled);
      refuseClosed(now, ctx.now());
      if (now.compiled === compiled) throw refusal;
      ({ compiled } = now);
    },
    async store(ready, claim) {
      const stored = await storeItem(ctx, compiled, ready.item, claim);
      if (!stored) ({ compiled } = await readCurrent(ctx, compiled));
      return stored;
    },
    answer: (said, given) => answerView(compiled, said, given),
  });
}

/** Gives nothing when the definition has changed, or a duplicate has gone: try again. */
async function storeItem(
  ctx: ActionContext,
  compiled: Compiled,
  item: NewItem,
  claim: Claim | null,
) {
  const action = compiled.collection.kind === "app" ? "record.create" : "submission.create";
  const created = await store(ctx.db, item, claim, itemAct(ctx, action, item.now));
  switch (created.outcome) {
    case "created":
      if (created.listened) ctx.noteChange(compiled.collection.id);
      return created;
    case "replayed":
      return created;
    case "closed":
      throw problem.submissionsClosed(created.reason);
    case "duplicate":
      if (created.taken.length === 0) return undefined;
      throw duplicateProblem(ctx, compiled, created.taken);
    case "definition_changed":
      return undefined;
  }
}

/** What is to be stored and answered; refuses what would be too large. */
export function newItem(
  ctx: ActionContext,
  compiled: Compiled,
  draft: Draft,
): Prepared<Said> & { item: NewItem } {
  const { kind, id: collectionId, version, revision } = compiled.collection;
  const { status, data } = draft;
  const id = newItemId(kind, collectionId, ctx.newId());
  const entries = searchEntries(compiled.collection, data, { status });
  refuseTooManyEntries(entries);
  const said = saidOf(ctx, compiled, draft);
  const written = JSON.stringify(said);
  const item = {
    id,
    collectionId,
    version,
    revision,
    now: ctx.now(),
    status,
    receiptPrefix: said.prefix,
    data: JSON.stringify(data),
    entries: JSON.stringify(entries),
    unique: uniqueValues(compiled.collection, data, status),
    changedFields: createdFields({ data, status }),
  };
  refuseTooLarge(written, item.data, item.entries);
  return { said, written, item };
}

/** What the answer says, apart from the place and the time that the database gives. */
interface Said {
  prefix: string | null;
  createdBy: Actor;
  status: Status | null;
  data: Record<string, unknown>;
  warnings: Warning[];
}

function saidOf(
  { actor: createdBy }: ActionContext,
  compiled: Compiled,
  { status, data, warnings }: Draft,
): Said {
  const { kind, definition } = compiled.collection;
  const prefix = kind === "app" ? definition.receipt_prefix : null;
  return { prefix, createdBy, status, data: showData(compiled, data), warnings };
}

function answerView(
  { collection }: Compiled,
  { prefix, createdBy, status, data, warnings }: Said,
  { itemId, place, createdAt }: Given,
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
