import type { Compiled } from "#domain/data/compile.ts";
import { type Operation, parseBatch } from "#domain/item/body.ts";
import { receiptPlaces } from "#domain/item/item.ts";
import { type Named, readNamed } from "#store/data/batch-read.ts";
import { upsertedBy, Simulation, type Result, type Touched } from "./batch-simulation.ts";
import { effortOfBatch, spentOfBatch } from "#domain/data/compute-budget.ts";
import { Problem, problem, type FieldError } from "#domain/problem/problem.ts";
import { storeBatch, type BatchWrite } from "#store/data/batch-write.ts";
import type { Claim } from "#store/data/replays.ts";
import { takenAmong } from "#store/data/item-ranges.ts";
import { itemAct, type ActionContext } from "./context.ts";
import { readCurrent, duplicateProblem, refuseClosed } from "./create-item.ts";
import { noKey, oncePerKey, type Once, type Prepared, type SentKey } from "./idempotent.ts";
import { batchRefusal, type Refusal, batchAnswer, whatIsSaid, type OperationResult, type Told, writtenBy } from "./batch-results.ts";

/** How operations name the items that they are about. */
export function namedBy(compiled: Compiled, operations: readonly (Operation | null)[]): Named {
  const names = operations.flatMap((each) => (each && "id" in each && each.id ? [each.id] : []));
  const isApp = compiled.collection.kind === "app";
  const isReceipt = (name: string) => isApp && !name.startsWith("rec_");
  return {
    ids: names.filter((name) => !isReceipt(name)),
    receipts: names
      .filter(isReceipt)
      .map((receipt) => ({ receipt, places: receiptPlaces(receipt) })),
    unique: operations.flatMap((each) => {
      if (each?.op !== "upsert") return [];
      try {
        return [upsertedBy(compiled, each.by, each.body)];
      } catch {
        // What is wrong with it is told when it is applied.
        return [];
      }
    }),
  };
}

/** Stored data that a batch may read. */
const mostBytes = 8_000_000;

interface Ready extends Prepared<Told> {
  write: BatchWrite;
}

/** Applies a batch as it was sent, in order, all or nothing, once for each key (contract, section 12). */
export function applyBatch(
  ctx: ActionContext,
  known: Compiled,
  body: unknown,
  key: SentKey,
): Promise<Once<OperationResult[]>> {
  return applyOnce(ctx, known, { ...parseBatch(known.collection.kind, body), body }, key);
}

/** The same with operations that are made here; nothing is remembered. */
export async function applyOperations(
  ctx: ActionContext,
  known: Compiled,
  operations: readonly Operation[],
): Promise<OperationResult[]> {
  const { answer } = await applyOnce(ctx, known, { operations, errors: [], body: null }, noKey);
  return answer;
}

interface Sent {
  operations: readonly (Operation | null)[];
  errors: readonly FieldError[];
  body: unknown;
}

function applyOnce(ctx: ActionContext, known: Compiled, sent: Sent, key: SentKey) {
  let compiled = known;
  return oncePerKey<Ready, OperationResult[]>(ctx, key, sent.body, {
    judge: () => judge(ctx, compiled, sent, key),
    async refuse(refusal) {
      const now = await readCurrent(ctx, compiled);
      const before = [400, 404, 412].includes(refusal.status);
      if (!before && opensForm(sent)) refuseClosed(now, ctx.now());
      if (now.compiled === compiled) throw refusal;
      ({ compiled } = now);
    },
    async store(ready, claim) {
      const stored = await store(ctx, compiled, ready, claim);
      if (!stored) ({ compiled } = await readCurrent(ctx, compiled));
      return stored;
    },
    answer: (said, given) => batchAnswer(compiled, said, given),
  });
}

/** Whether it may need an open form; of what is no batch nothing is known. */
function opensForm({ operations }: Sent): boolean {
  return operations.some((each) => each?.op === "create" || each?.op === "upsert");
}

async function judge(
  ctx: ActionContext,
  compiled: Compiled,
  { operations, errors }: Sent,
  key: SentKey,
): Promise<Ready> {
  if (operations.length === 0 || key.errors.length > 0) {
    throw problem.invalidInput([...key.errors, ...errors]);
  }
  const { results, refusals, write } = await simulate(ctx, compiled, operations);
  const refused = [...refusals, ...shapeRefusals(errors)];
  if (refused.length > 0) throw batchRefusal(refused);
  const done = results.filter((result) => result !== null);
  const said = whatIsSaid(write, done);
  return {
    said: { ...said, items: done.map(({ item }) => item.now) },
    written: JSON.stringify(said),
    write,
  };
}

interface Simulated {
  /** What becomes of each operation; null for those that are refused. */
  results: (Result | null)[];
  refusals: Refusal[];
  write: BatchWrite;
  /** How much it took of what one batch may. */
  spent: number;
}

/** Applies operations to what is stored, and stores nothing. */
export async function simulate(
  ctx: ActionContext,
  compiled: Compiled,
  operations: readonly (Operation | null)[],
): Promise<Simulated> {
  const { collection } = compiled;
  const named = await readNamed(ctx.db, collection, namedBy(compiled, operations), mostBytes);
  if (named.bytes > mostBytes) throw problem.batchTooLarge(mostBytes);
  const effort = effortOfBatch();
  const simulation = new Simulation(ctx, compiled, named, effort);
  const refusals: Refusal[] = [];
  const results = operations.map((operation, index): Result | null => {
    try {
      return operation && simulation.apply(operation);
    } catch (refusal) {
      if (!(refusal instanceof Problem) || refusal.status >= 500) throw refusal;
      refusals.push({ index, problem: refusal });
      return null;
    }
  });
  const refuse = (item: Touched, refusal: Problem) => {
    const index = results.findLastIndex((result) => result?.item === item);
    refusals.push({ index, problem: refusal });
  };
  const write = writtenBy(compiled, simulation, ctx.now(), ctx.newId(), refuse);
  refusals.push(...takenTwice(ctx, compiled, write, results));
  const spent = Math.max(spentOfBatch(effort), named.bytes / mostBytes);
  return { results, refusals, write, spent };
}

/** What cannot be read of a batch, by operation. */
function shapeRefusals(errors: readonly FieldError[]): Refusal[] {
  return errors.map((error) => {
    const [, index = "0", rest = ""] = /^\/operations\/(\d+)(.*)$/.exec(error.pointer ?? "") ?? [];
    return { index: Number(index), problem: problem.invalidInput([{ ...error, pointer: rest }]) };
  });
}

/** Two items of one batch cannot hold the same value: the second is the duplicate. */
function takenTwice(
  ctx: ActionContext,
  compiled: Compiled,
  { taken }: BatchWrite,
  results: readonly (Result | null)[],
): Refusal[] {
  const first = new Map<string, number>();
  return taken.flatMap(([ref, field, value]): Refusal[] => {
    const name = JSON.stringify([field, value]);
    const holder = first.get(name);
    if (holder === undefined) first.set(name, ref);
    if (holder === undefined || holder === ref) return [];
    const index = results.findLastIndex((result) => result?.item.last.number === ref);
    const id = results.find((result) => result?.item.last.number === holder)?.item.last.id ?? "";
    return [{ index, problem: duplicateProblem(ctx, compiled, [{ field, id }]) }];
  });
}

/** Gives nothing when an item, or the definition, has changed: try again. */
async function store(
  ctx: ActionContext,
  compiled: Compiled,
  { write, said }: Ready,
  claim: Claim | null,
) {
  const action = compiled.collection.kind === "app" ? "record.update" : "submission.update";
  const stored = await storeBatch(ctx.db, write, claim, itemAct(ctx, action, write.now));
  switch (stored.outcome) {
    case "created":
      if (stored.listened) ctx.noteChange(compiled.collection.id);
      return stored;
    case "replayed":
      return stored;
    case "closed":
      throw problem.submissionsClosed(stored.reason);
    case "stale":
      return undefined;
    case "taken":
      return refuseTaken(ctx, compiled, write, said);
  }
}

/** An upsert whose value somebody has by now finds its item when it is tried again. */
async function refuseTaken(
  ctx: ActionContext,
  compiled: Compiled,
  write: BatchWrite,
  said: Ready["said"],
): Promise<undefined> {
  const refusals: Refusal[] = [];
  const all = await takenAmong(
    ctx.db,
    write.taken.map(([ref, field, value]) => [field, value, ref]),
  );
  for (const [index, { op, outcome }] of said.results.entries()) {
    const item = said.items?.[index];
    if (!item || (outcome !== "created" && outcome !== "updated")) continue;
    const taken = all.filter(({ wanting }) => wanting === item.number);
    if (op === "upsert" && outcome === "created" && taken.length > 0) return undefined;
    if (taken.length > 0) refusals.push({ index, problem: duplicateProblem(ctx, compiled, taken) });
  }
  if (refusals.length > 0) throw batchRefusal(refusals);
  return undefined;
}
