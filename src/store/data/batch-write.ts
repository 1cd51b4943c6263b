import * as batch from "./batch-statements.ts";
import type { SearchEntry, UniqueValue } from "#domain/data/index-entries.ts";
import type { ClosedReason } from "#domain/definition/collection.ts";
import type { ItemAction } from "#domain/item/change.ts";
import type { Status } from "#domain/item/item.ts";
import type { ItemAct } from "./changes.ts";
import { once, failureOf } from "#store/db/retry.ts";
import { byteLength, runs, type Bind } from "#store/db/statement.ts";
import { claim, findReplay, type Claim, type Given, type Replay } from "./replays.ts";
import type { BatchValues, Rows } from "./batch-statements.ts";

/** The number of an item; of the first that the batch makes −1, of the next −2, … */
type ItemRef = number;

interface WrittenItem {
  ref: ItemRef;
  id: string;
  status: Status | null;
  version: number;
  /** Milliseconds since 1970; the database gives it to items that are made. */
  updatedAt: number;
  /** Stored data, JSON. */
  data: string;
}

interface WrittenChange {
  ref: ItemRef;
  id: string;
  action: ItemAction;
  version: number;
  /** Ids of the fields and their former values, JSON. */
  fields: string;
  former: string | null;
}

/** All that a batch of operations stores; items are named once, with what has become of them. */
export interface BatchWrite {
  collectionId: number;
  revision: number;
  definitionVersion: number;
  batchId: string;
  now: number;
  /** Null for submissions. */
  receiptPrefix: string | null;
  /** Whether the form has to be open, and how many more items there are at most meanwhile. */
  opens: boolean;
  more: number;
  /** The versions of the items that were read. */
  expected: [number: number, version: number][];
  released: [ref: ItemRef, ...UniqueValue][];
  taken: [ref: ItemRef, ...UniqueValue][];
  removed: [ref: ItemRef, field: number, value: string | number][];
  added: [ref: ItemRef, ...SearchEntry][];
  made: WrittenItem[];
  changed: WrittenItem[];
  deleted: number[];
  /** In the order of the operations. */
  changes: WrittenChange[];
}

export type BatchStored =
  /** `listened`: some webhook listens to the collection. */
  | { outcome: "created"; given: Given; listened: boolean }
  | { outcome: "replayed"; replay: Replay }
  /** An item or the definition is not what it was, or somebody made an item of the same value: read again. */
  | { outcome: "stale" }
  | { outcome: "closed"; reason: ClosedReason }
  | { outcome: "taken" };

interface GivenRow {
  place: number;
  created_at: number;
  listened: number;
}

/** Stores a batch of operations, all of it or nothing. */
export async function storeBatch(
  db: D1Database,
  write: BatchWrite,
  claimed: Claim | null,
  act: ItemAct,
): Promise<BatchStored> {
  const { collectionId, now, batchId } = write;
  const statements = statementsOf(db, write, claimed, act);
  try {
    const results = await once(() => db.batch<GivenRow>(statements));
    const [row] = results.at(-1)?.results ?? [];
    if (!row) throw new Error(`Collection ${collectionId} has no tally.`);
    const given = { itemId: batchId, place: row.place, createdAt: row.created_at };
    return { outcome: "created", given, listened: row.listened === 1 };
  } catch (error) {
    const failure = failureOf(error);
    // Somebody else imports the same row: it is there when it is read again.
    if (failure.kind === "unique" && failure.table === "item") return { outcome: "stale" };
    if (failure.kind !== "guard") throw error;
    const { constraint } = failure;
    if (constraint === "taken") return { outcome: "taken" };
    if (constraint === "closed" || constraint === "not_open_yet" || constraint === "full") {
      return { outcome: "closed", reason: constraint };
    }
    const replay = constraint === "key_used" && claimed && (await findReplay(db, claimed.key, now));
    return replay ? { outcome: "replayed", replay } : { outcome: "stale" };
  }
}

function statementsOf(
  db: D1Database,
  write: BatchWrite,
  claimed: Claim | null,
  act: ItemAct,
): D1PreparedStatement[] {
  const { collectionId, now, made, changed, deleted } = write;
  const values: BatchValues = {
    ...act,
    collectionId,
    now,
    revision: write.revision,
    definitionVersion: write.definitionVersion,
    key: claimed?.key ?? null,
    batchId: write.batchId,
    opens: write.opens ? 1 : 0,
    more: write.more,
    receiptPrefix: write.receiptPrefix,
    made: made.length,
  };
  const largest = Math.max(0, ...[...made, ...changed].map(({ data }) => byteLength(data)));
  return [
    ...(claimed
      ? [claim(db, { ...claimed, id: write.batchId, collectionId, now }), batch.isMyKey(db, values)]
      : []),
    batch.mayStore(db, values),
    ...rowStatements(db, values, write),
    batch.count(db, { collectionId, now, made: made.length, deleted: deleted.length, largest }),
    batch.readGiven(db, { collectionId, made: made.length }),
  ];
}

/** The statements that take rows, each as often as its rows need. */
function rowStatements(
  db: D1Database,
  values: BatchValues,
  write: BatchWrite,
): D1PreparedStatement[] {
  const { made, changed, deleted } = write;
  const rows = (bind: Bind<Rows>, all: readonly string[]) =>
    runs(all).map((run) => bind(db, { ...values, rows: run }));
  const numbers = each(deleted.map((number) => [number]));
  const behind = behindLast(write.changes);
  const madeRows = made.map((item) => madeRow(item, behind));
  const changedRows = changed.map((item) => changedRow(item, behind));
  return [
    ...rows(batch.areExpected, each(write.expected)),
    ...rows(batch.releaseUnique, each(write.released)),
    ...rows(batch.takeUnique, each(write.taken)),
    ...rows(batch.areMine, each(write.taken)),
    ...rows(batch.removeEntries, each(write.removed)),
    ...rows(batch.addEntries, each(write.added)),
    ...rows(batch.addTimes, each(made.map(({ ref }) => [ref]))),
    ...rows(batch.eraseFormer, numbers),
    ...rows(batch.eraseLater, numbers),
    ...changeStatements(db, values, write.changes),
    ...rows(batch.insertItems, madeRows),
    ...rows(batch.updateItems, changedRows),
    ...rows(batch.deleteItems, numbers),
  ];
}

const each = (all: readonly unknown[]) => all.map((row) => JSON.stringify(row));

/** Data stands in its row as JSON, not as a text of it: escaped it could outgrow a parameter. */
function madeRow({ ref, id, status, version, data }: WrittenItem, behind: Map<ItemRef, number>) {
  const head = JSON.stringify([ref, id, status, version]).slice(0, -1);
  return `${head},${data},${behind.get(ref) ?? 0}]`;
}

function changedRow(
  { ref, status, version, updatedAt, data }: WrittenItem,
  behind: Map<ItemRef, number>,
) {
  const head = JSON.stringify([ref, status, version]).slice(0, -1);
  return `${head},${data},${behind.get(ref) ?? 0},${updatedAt}]`;
}

/** How many changes of the batch come behind the last one of each item. */
function behindLast(changes: readonly WrittenChange[]): Map<ItemRef, number> {
  return new Map(changes.map(({ ref }, index) => [ref, changes.length - 1 - index]));
}

/** Each run is numbered from the last change on, as the database has it then. */
function changeStatements(
  db: D1Database,
  values: BatchValues,
  changes: readonly WrittenChange[],
): D1PreparedStatement[] {
  const last = new Map<ItemRef, number>();
  const rows = changes.map(({ ref, id, action, version, fields, former }, index) => {
    const before = last.get(ref);
    last.set(ref, index + 1);
    return (start: number) =>
      JSON.stringify([
        ref,
        id,
        index + 1 - start,
        action,
        version,
        before === undefined ? null : before - start,
        fields,
        former,
      ]);
  });
  let start = 0;
  return runs(rows.map((row) => row(0))).map((run) => {
    const length = (JSON.parse(run) as unknown[]).length;
    const own = rows.slice(start, start + length).map((row) => row(start));
    start += length;
    return batch.insertChanges(db, { ...values, rows: `[${own.join()}]` });
  });
}
