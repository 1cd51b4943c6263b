import { checkNew, nothingChecked } from "#domain/data/check.ts";
import { type Warning, filledAmong, fieldNumber, type Data, showData } from "#domain/data/values.ts";
import type { Compiled } from "#domain/data/compile.ts";
import { computeData } from "#domain/formula/compute.ts";
import { effortOfItem, spentFormulas, type Effort } from "#domain/data/compute-budget.ts";
import { closedReason, type Collection } from "#domain/definition/collection.ts";
import { uniqueIdOf } from "#domain/definition/field.ts";
import { parseItemBody } from "#domain/item/body.ts";
import { allows, readPermission } from "#domain/credential/permissions.ts";
import { problem, type FieldError, type Problem } from "#domain/problem/problem.ts";
import { statusAtCreation, type Status, refuseTooLarge, refuseTooManyEntries, newItemId, receiptNumber, type ItemView } from "#domain/item/item.ts";
import type { Taken } from "#store/data/item-ranges.ts";
import { type ActionContext, type ReadContext, itemAct } from "./context.ts";
import { readCollection } from "./collection-cache.ts";
import type { Actor } from "#domain/audit.ts";
import { searchEntries, uniqueValues } from "#domain/data/index-entries.ts";
import { createdFields } from "#domain/item/change.ts";
import { createItem as store, type NewItem } from "#store/data/create-item.ts";
import type { Claim, Given } from "#store/data/replays.ts";
import { oncePerKey, type Once, type Prepared, type SentKey } from "./idempotent.ts";

/** What a create would store, and all that is wrong with it. */
export interface Draft {
  status: Status | null;
  data: Data;
  warnings: Warning[];
  errors: FieldError[];
}

export function draftOf(
  compiled: Compiled,
  sent: unknown,
  now: number,
  effort = effortOfItem(),
): Draft {
  const { kind } = compiled.collection;
  const { body, errors } = parseItemBody(kind, "create", sent);
  const status = kind === "form" ? statusAtCreation(body.status) : { status: null };
  const draft = "status" in status && status.status === "draft";
  const checked = body.data ? checkNew(compiled, body.data, draft, effort) : nothingChecked;
  const wrong = [...errors, ...("error" in status ? [status.error] : []), ...checked.errors];
  const computed =
    wrong.length > 0 ? nothingComputed : computeWithin(effort, compiled, checked.data, now);
  return {
    data: computed.data,
    warnings: [...checked.warnings, ...computed.warnings],
    status: "status" in status ? status.status : null,
    errors: [...wrong, ...computed.errors],
  };
}

interface Computed {
  data: Data;
  warnings: Warning[];
  errors: FieldError[];
}

const nothingComputed: Computed = { data: {}, warnings: [], errors: [] };

/** Runs formulas as far as the effort reaches: once it is spent, none runs. */
export function computeWithin(
  effort: Effort,
  compiled: Compiled,
  data: Data,
  now: number,
): Computed {
  const spent = spentFormulas(effort);
  if (spent.length > 0) return { ...nothingComputed, errors: spent };
  const { steps, ...computed } = computeData(compiled, data, now);
  effort.formulas.steps -= steps;
  return { ...computed, errors: spentFormulas(effort) };
}

/** The collection as the database has it at this moment, and how many items it holds. */
export interface CollectionNow {
  compiled: Compiled;
  live: number;
}

export async function readCurrent(
  ctx: ReadContext,
  { collection }: Compiled,
): Promise<CollectionNow> {
  const now = await readCollection(ctx.db, collection.kind, collection.key);
  if (!now) throw problem.notFound();
  return now;
}

export function refuseClosed({ compiled, live }: CollectionNow, now: number): void {
  const reason = closedReason(compiled.collection.definition.acceptance, live, now);
  if (reason) throw problem.submissionsClosed(reason);
}

/** While a field changes its type, no item can be given a value there: it would stand against the change. */
export function refuseEmptied({ pending }: Collection, data: Data, before: Data = {}): void {
  const [filled] = filledAmong(pending?.emptied ?? [], data, before);
  if (!filled) return;
  const detail = `The type of "${filled.key}" is being changed; until that is done it takes no values.`;
  throw problem.schemaInUse(detail, { field: filled.key });
}

/** The 409 that names the first of the fields whose value is taken, and who has it to those who may read. */
export function duplicateProblem(
  ctx: ActionContext,
  { collection }: Compiled,
  taken: readonly Taken[],
): Problem {
  const mayRead = allows(ctx.permissions, readPermission[collection.kind]);
  const coming = collection.pending?.gained ?? [];
  for (const each of [...collection.definition.fields.fields, ...coming]) {
    const { key } = each;
    const id = "id" in each && "label" in each ? uniqueIdOf(each) : each.uniqueId;
    const found = taken.find(({ field }) => field === fieldNumber(collection.id, id ?? 0));
    if (found) return problem.duplicate(key, mayRead ? found.id : undefined);
  }
  return problem.tryAgain();
}

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
