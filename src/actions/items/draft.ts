import { checkNew, nothingChecked } from "../../domain/data/check/check";
import type { Warning } from "../../domain/data/warnings";
import type { Compiled } from "../../domain/data/compile";
import { computeData } from "../../domain/formula/compute";
import { effortOfItem, spentFormulas, type Effort } from "../../domain/data/effort";
import { filledAmong } from "../../domain/data/emptied";
import { fieldNumber } from "../../domain/data/field-number";
import type { Data } from "../../domain/data/values";
import { closedReason } from "../../domain/definition/acceptance";
import type { Collection } from "../../domain/definition/collection";
import { uniqueIdOf } from "../../domain/definition/field";
import { parseItemBody } from "../../domain/item/item-body";
import { allows, readPermission } from "../../domain/credential/permissions";
import { problem, type FieldError, type Problem } from "../../domain/problem/problem";
import { statusAtCreation, type Status } from "../../domain/item/status";
import type { Taken } from "../../store/items/unique-values";
import type { ActionContext, ReadContext } from "../context";
import { readCollection } from "../definitions/known-collections";

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
