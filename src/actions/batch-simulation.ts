import { checkPatch } from "#domain/data/check.ts";
import type { Compiled } from "#domain/data/compile.ts";
import { uniqueValue, type UniqueValue, uniqueValues } from "#domain/data/index-entries.ts";
import { uniqueIdOf } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { errorAt, oneOf } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import type { Effort } from "#domain/data/compute-budget.ts";
import type { Warning } from "#domain/data/values.ts";
import { createdFields, type Difference, type ItemAction, changedItem, differenceBetween } from "#domain/item/change.ts";
import type { Operation } from "#domain/item/body.ts";
import { newItemId, bytesOf, type Item } from "#domain/item/item.ts";
import type { NamedItems } from "#store/data/batch-read.ts";
import type { ActionContext } from "./context.ts";
import { draftOf, refuseEmptied } from "./create-item.ts";
import { nextState, refuseChange, sameData, updateAction } from "./update-item.ts";

/** The unique value that an upsert finds its item by; throws what is wrong with it. */
export function upsertedBy(compiled: Compiled, by: string, body: unknown): UniqueValue {
  const unique = compiled.fields.list.filter(({ field }) => uniqueIdOf(field) !== undefined);
  const found = unique.find(({ field }) => field.key === by);
  const uniqueId = found && uniqueIdOf(found.field);
  if (!found || uniqueId === undefined) {
    const allowed = unique.map(({ field }) => field.key);
    const reason =
      allowed.length > 0
        ? `Must be the key of a unique field: ${oneOf(allowed)}.`
        : "There is no unique field to find an item by.";
    throw problem.invalidInput([errorAt(["by"], "not_an_option", reason, { allowed })]);
  }
  const { data, status } = isObject(body) ? body : {};
  if (status === "draft") {
    const reason = "Drafts hold no unique values, so none could be found again: leave it out.";
    throw problem.invalidInput([errorAt(["status"], "invalid_status", reason)]);
  }
  if (!isObject(data)) {
    const code = data === undefined ? "required" : "invalid_type";
    throw problem.invalidInput([errorAt(["data"], code, "Must be of type object.")]);
  }
  // Judged as a change of this field alone; the rest is judged with the item.
  const sent = Object.hasOwn(data, by) ? { [by]: data[by] } : {};
  const checked = checkPatch(compiled, {}, sent, true);
  if (checked.errors.length > 0) throw problem.invalidInput(checked.errors);
  const { id: collectionId } = compiled.collection;
  const { id, type } = found.field;
  const [value] = uniqueValue(collectionId, { id, uniqueId, type }, checked.data);
  if (value) return value;
  const reason = "An upsert finds its item by this value: it may not be empty.";
  throw problem.invalidInput([errorAt(["data", by], "required", reason)]);
}

/** An item that a batch is about: as it was read, and what the operations so far have made of it. */
export interface Touched {
  /** Null for one that the batch makes. */
  before: Item | null;
  /** Null once it is deleted. */
  now: Item | null;
  last: Item;
}

export interface Step {
  item: Touched;
  action: ItemAction;
  version: number;
  difference: Difference;
}

export interface Result {
  op: Operation["op"];
  outcome: "created" | "updated" | "unchanged" | "deleted";
  item: Touched;
  version: number;
  warnings: readonly Warning[];
}

/** What a batch may write, in bytes of data. */
const mostBytes = 8_000_000;

const holdKey = ([field, value]: UniqueValue) => `${field} ${JSON.stringify(value)}`;

/** Applies operations in order to what was read; nothing is stored. Each either gives its result or throws why not. */
export class Simulation {
  readonly touched: Touched[] = [];
  readonly steps: Step[] = [];
  /** Whether something is created or submitted, and how many more items there are at most meanwhile. */
  opens = false;
  more = 0;
  readonly #ctx: ActionContext;
  readonly #compiled: Compiled;
  readonly #holders = new Map<string, Touched>();
  readonly #byName = new Map<string, Touched>();
  readonly #effort: Effort;
  #live = 0;
  #bytes = 0;
  #made = 0;

  constructor(
    ctx: ActionContext,
    compiled: Compiled,
    { items, holders }: NamedItems,
    effort: Effort,
  ) {
    this.#ctx = ctx;
    this.#compiled = compiled;
    this.#effort = effort;
    const byNumber = new Map<number, Touched>();
    for (const item of items) {
      const touched = { before: item, now: item, last: item };
      byNumber.set(item.number, touched);
      this.#byName.set(item.id, touched);
      if (item.receiptNumber !== null) this.#byName.set(item.receiptNumber, touched);
      this.touched.push(touched);
    }
    for (const { field, value, item } of holders) {
      const holder = byNumber.get(item);
      if (holder) this.#holders.set(holdKey([field, value]), holder);
    }
  }

  apply(operation: Operation): Result {
    switch (operation.op) {
      case "create":
        return this.#create("create", operation.body, operation.id);
      case "update":
        return this.#update("update", this.#find(operation.id), operation.body, operation.ifMatch);
      case "upsert": {
        const holder = this.#holderOf(upsertedBy(this.#compiled, operation.by, operation.body));
        if (!holder) return this.#create("upsert", operation.body);
        return this.#update("upsert", holder, operation.body, null);
      }
      case "delete":
        return this.#delete(this.#find(operation.id), operation.ifMatch);
    }
  }

  #find(name: string): Touched {
    const found = this.#byName.get(name);
    if (!found?.now) throw problem.notFound();
    return found;
  }

  /** Who has this value now: one that an operation before gave it to, or who had it and was not changed since. */
  #holderOf(value: UniqueValue): Touched | undefined {
    const holder = this.#holders.get(holdKey(value));
    if (!holder?.now) return undefined;
    return this.#uniqueOf(holder.now).some((each) => holdKey(each) === holdKey(value))
      ? holder
      : undefined;
  }

  #create(op: "create" | "upsert", body: unknown, given?: string): Result {
    const there = given === undefined ? undefined : this.#byName.get(given);
    if (there) {
      const { version } = there.last;
      return { op, outcome: "unchanged", item: there, version, warnings: [] };
    }
    const draft = draftOf(this.#compiled, body, this.#ctx.now(), this.#effort);
    if (draft.errors.length > 0) throw problem.invalidInput(draft.errors);
    const { collection } = this.#compiled;
    refuseEmptied(collection, draft.data);
    const { data, status } = draft;
    this.#made += 1;
    const { actor } = this.#ctx;
    const now = this.#ctx.now();
    const item: Item = {
      number: -this.#made,
      id: given ?? newItemId(collection.kind, collection.id, this.#ctx.newId()),
      collectionId: collection.id,
      receiptNumber: null,
      status,
      version: 1,
      definitionVersion: collection.version,
      createdAt: now,
      createdBy: actor,
      updatedAt: now,
      updatedBy: actor,
      data,
      lastChange: null,
    };
    const touched = { before: null, now: item, last: item };
    this.touched.push(touched);
    this.#count(item);
    this.opens = true;
    this.#live += 1;
    this.more = Math.max(this.more, this.#live);
    const action = collection.kind === "app" ? "record.create" : "submission.create";
    const difference = { fields: createdFields(item), former: {} };
    this.steps.push({ item: touched, action, version: 1, difference });
    this.#hold(touched, item);
    return { op, outcome: "created", item: touched, version: 1, warnings: draft.warnings };
  }

  #update(
    op: "update" | "upsert",
    touched: Touched,
    body: unknown,
    ifMatch: Parameters<typeof nextState>[3],
  ): Result {
    const item = touched.now;
    if (!item) throw problem.notFound();
    const found = { item, compiled: this.#compiled };
    const next = nextState(this.#ctx, found, body, ifMatch, this.#effort);
    const { warnings } = next;
    const { version } = item;
    if (next.status === item.status && sameData(next, found)) {
      return { op, outcome: "unchanged", item: touched, version, warnings };
    }
    const after = changedItem(this.#compiled, item, next, this.#ctx.actor, this.#ctx.now());
    this.#count(after);
    if (item.status === "draft" && after.status !== "draft") this.opens = true;
    touched.now = after;
    touched.last = after;
    const difference = differenceBetween(this.#compiled, item, after);
    const action = updateAction(item, after);
    this.steps.push({ item: touched, action, version: version + 1, difference });
    this.#hold(touched, after);
    return { op, outcome: "updated", item: touched, version: version + 1, warnings };
  }

  #delete(touched: Touched, ifMatch: Parameters<typeof nextState>[3]): Result {
    const item = touched.now;
    if (!item) throw problem.notFound();
    refuseChange(item, ifMatch);
    touched.now = null;
    this.#live -= 1;
    const { version } = item;
    const difference = { fields: [], former: {} };
    this.steps.push({ item: touched, action: "submission.delete", version, difference });
    return { op: "delete", outcome: "deleted", item: touched, version, warnings: [] };
  }

  #uniqueOf({ data, status }: Item): UniqueValue[] {
    return uniqueValues(this.#compiled.collection, data, status);
  }

  #hold(touched: Touched, item: Item): void {
    for (const value of this.#uniqueOf(item)) this.#holders.set(holdKey(value), touched);
  }

  #count({ data }: Item): void {
    this.#bytes += bytesOf(JSON.stringify(data));
    if (this.#bytes > mostBytes) throw problem.batchTooLarge(mostBytes);
  }
}
