import type { Compiled } from "../../domain/data/compile";
import { parseBatch } from "../../domain/item/batch-body";
import { Problem, problem } from "../../domain/problem/problem";
import { readNamed } from "../../store/batch/read";
import { storeBatch, type BatchWrite } from "../../store/batch/write";
import type { Claim } from "../../store/items/replays";
import { takenValues } from "../../store/items/unique-values";
import { itemAct, type ActionContext } from "../context";
import { currentOf, duplicateOf, refuseClosed } from "../items/draft";
import { oncePerKey, type Once, type Prepared, type SentKey } from "../once-per-key";
import { namedBy } from "./named";
import { refusalOf, type Refusal } from "./refusals";
import { Simulation, type Result } from "./simulation";
import { answerOf, saidOf, type OperationResult, type Told } from "./results";
import { writtenBy } from "./written";

/** Stored data that a batch may read. */
const mostBytes = 8_000_000;

interface Ready extends Prepared<Told> {
  write: BatchWrite;
}

/** Applies operations in order, all or nothing, once for each key (contract, section 12). */
export function applyBatch(
  ctx: ActionContext,
  known: Compiled,
  body: unknown,
  key: SentKey,
): Promise<Once<OperationResult[]>> {
  let compiled = known;
  return oncePerKey(ctx, key, body, {
    judge: () => judge(ctx, compiled, body, key),
    async refuse(refusal) {
      const now = await currentOf(ctx, compiled);
      const before = [400, 404, 412].includes(refusal.status);
      if (!before && opensForm(body)) refuseClosed(now, ctx.now());
      if (now.compiled === compiled) throw refusal;
      ({ compiled } = now);
    },
    async store(ready, claim) {
      const stored = await store(ctx, compiled, ready, claim);
      if (!stored) ({ compiled } = await currentOf(ctx, compiled));
      return stored;
    },
    answer: (said, given) => answerOf(compiled, said, given),
  });
}

/** Whether it may need an open form; of what is no batch nothing is known. */
function opensForm(body: unknown): boolean {
  const { operations } = parseBatch("form", body);
  return operations.some((each) => each?.op === "create" || each?.op === "upsert");
}

async function judge(
  ctx: ActionContext,
  compiled: Compiled,
  body: unknown,
  key: SentKey,
): Promise<Ready> {
  const { collection } = compiled;
  const { operations, errors } = parseBatch(collection.kind, body);
  if (operations.length === 0 || key.errors.length > 0) {
    throw problem.invalidInput([...key.errors, ...errors]);
  }
  const named = await readNamed(ctx.db, collection, namedBy(compiled, operations), mostBytes);
  if (named.bytes > mostBytes) throw problem.batchTooLarge(mostBytes);
  const simulation = new Simulation(ctx, compiled, named);
  const refusals: Refusal[] = [];
  const results: Result[] = [];
  operations.forEach((operation, index) => {
    try {
      if (operation) results.push(simulation.apply(operation));
    } catch (refusal) {
      if (!(refusal instanceof Problem)) throw refusal;
      if (refusal.status >= 500) throw refusal;
      refusals.push({ index, problem: refusal });
    }
  });
  const refused = [...refusals, ...shapeRefusals(errors)];
  if (refused.length > 0) throw refusalOf(refused);
  const batchId = ctx.newId();
  const write = writtenBy(compiled, simulation, ctx.now(), batchId);
  refuseTwice(ctx, compiled, write, results);
  const said = saidOf(write, results);
  return {
    said: { ...said, items: results.map(({ item }) => item.now) },
    written: JSON.stringify(said),
    write,
  };
}

/** What cannot be read of a batch, by operation. */
function shapeRefusals(errors: ReturnType<typeof parseBatch>["errors"]): Refusal[] {
  return errors.map((error) => {
    const [, index = "0", rest = ""] = /^\/operations\/(\d+)(.*)$/.exec(error.pointer ?? "") ?? [];
    return { index: Number(index), problem: problem.invalidInput([{ ...error, pointer: rest }]) };
  });
}

/** Two items of one batch cannot hold the same value: the second is the duplicate. */
function refuseTwice(
  ctx: ActionContext,
  compiled: Compiled,
  { taken }: BatchWrite,
  results: readonly Result[],
): void {
  const first = new Map<string, number>();
  const refusals = taken.flatMap(([ref, field, value]): Refusal[] => {
    const name = JSON.stringify([field, value]);
    const holder = first.get(name);
    if (holder === undefined) first.set(name, ref);
    if (holder === undefined || holder === ref) return [];
    const index = results.findLastIndex(({ item }) => item.last.number === ref);
    const id = results.find(({ item }) => item.last.number === holder)?.item.last.id ?? "";
    return [{ index, problem: duplicateOf(ctx, compiled, [{ field, id }]) }];
  });
  if (refusals.length > 0) throw refusalOf(refusals);
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
  for (const [index, { op, outcome }] of said.results.entries()) {
    const item = said.items?.[index];
    if (!item || (outcome !== "created" && outcome !== "updated")) continue;
    const own = write.taken.filter(([ref]) => ref === item.number);
    const values = own.map(([, field, value]) => [field, value] as [number, string | number]);
    const self = item.number < 0 ? null : item.number;
    const taken = values.length > 0 ? await takenValues(ctx.db, values, self) : [];
    if (op === "upsert" && outcome === "created" && taken.length > 0) return undefined;
    if (taken.length > 0) refusals.push({ index, problem: duplicateOf(ctx, compiled, taken) });
  }
  if (refusals.length > 0) throw refusalOf(refusals);
  return undefined;
}
