import type { SearchEntry, UniqueValue } from "#domain/data/index-entries.ts";
import type { ClosedReason } from "#domain/definition/collection.ts";
import type { Difference } from "#domain/item/change.ts";
import type { Status } from "#domain/item/item.ts";
import { eraseFormer, eraseLater, erasedAtOnce, insertChange, type ItemAct } from "./changes.ts";
import { once, failureOf } from "#store/db/retry.ts";
import { runsOf, type Bind } from "#store/db/statement.ts";
import { addEntries, countDown, deleteItem, growLargest, isExpected, isMine, releaseUnique, removeEntries, takeUnique, updateItem, type Changing, type Removal } from "./change-item-statements.ts";
import { takenValues, type Taken } from "./item-ranges.ts";

/** The state that a change was made for; another one aborts it. */
interface Expected {
  number: number;
  itemVersion: number;
  collectionId: number;
  /** Of the definition: the one that data is written under, and the one that guards it. */
  definitionVersion: number;
  revision: number;
}

interface Entries {
  removed: SearchEntry[];
  added: SearchEntry[];
}

interface UniqueValues {
  released: UniqueValue[];
  taken: UniqueValue[];
}

/** The new state of an item. */
export interface ItemChange extends Expected {
  status: Status | null;
  updatedAt: number;
  data: string;
  /** Whether the data takes more bytes than before. */
  grew: boolean;
  entries: Entries;
  unique: UniqueValues;
  difference: Difference;
  /** Whether the change is possible only while the form is open: a draft that is submitted. */
  whileOpen: boolean;
}

export interface ItemRemoval extends Expected {
  entries: SearchEntry[];
  unique: UniqueValue[];
}

export type Changed =
  /** `listened`: some webhook listens to the collection. */
  | { outcome: "changed"; listened: boolean }
  /** The item or its definition is not what it was: read again. */
  | { outcome: "stale" }
  | { outcome: "closed"; reason: ClosedReason }
  | { outcome: "duplicate"; taken: Taken[] };

export async function changeItem(
  db: D1Database,
  change: ItemChange,
  act: ItemAct,
): Promise<Changed> {
  const { entries, unique } = change;
  const values = {
    ...change,
    ...act,
    whileOpen: change.whileOpen ? 1 : 0,
    released: JSON.stringify(unique.released),
    taken: JSON.stringify(unique.taken),
    made: 1,
    changedFields: JSON.stringify(change.difference.fields),
    former: JSON.stringify(change.difference.former),
  };
  const statements = [
    isExpected,
    ...removing(entries.removed),
    ...runsOf(entries.added).map(
      (added): Bind<Changing> =>
        (to, rest) =>
          addEntries(to, { ...rest, added }),
    ),
    ...(unique.released.length > 0 ? [releaseUnique] : []),
    ...(unique.taken.length > 0 ? [takeUnique, isMine] : []),
    insertChange,
    updateItem,
    ...(change.grew ? [growLargest] : []),
  ].map((bind) => bind(db, values));
  return outcomeOf(db, statements, unique.taken, change.number);
}

export async function removeItem(
  db: D1Database,
  removal: ItemRemoval,
  act: ItemAct,
): Promise<Changed> {
  const values = {
    ...removal,
    ...act,
    whileOpen: 0,
    released: JSON.stringify(removal.unique),
    made: 0,
    changedFields: "[]",
    former: null,
  };
  const statements = [
    isExpected,
    ...removing(removal.entries),
    ...(removal.unique.length > 0 ? [releaseUnique] : []),
    ...(removal.itemVersion > 1 ? [eraseFormer] : []),
    ...(removal.itemVersion > erasedAtOnce ? [eraseLater] : []),
    insertChange,
    deleteItem,
    countDown,
  ].map((bind) => bind(db, values));
  return outcomeOf(db, statements, [], removal.number);
}

/** An entry is named by its field and its value. All that an item could have takes as many statements as it needs. */
function removing(entries: readonly SearchEntry[]): Bind<Omit<Removal, "removed">>[] {
  return runsOf(entries.map(([field, value]) => [field, value])).map(
    (removed) => (db, values) => removeEntries(db, { ...values, removed }),
  );
}

async function outcomeOf(
  db: D1Database,
  statements: D1PreparedStatement[],
  taken: UniqueValues["taken"],
  number: number,
): Promise<Changed> {
  try {
    const results = await once(() => db.batch<{ listened?: number }>(statements));
    return {
      outcome: "changed",
      listened: results.some(({ results: [row] }) => row?.listened === 1),
    };
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind === "guard" && failure.constraint === "taken") {
      return { outcome: "duplicate", taken: await takenValues(db, taken, number) };
    }
    if (failure.kind !== "guard") throw error;
    const { constraint } = failure;
    if (constraint === "closed" || constraint === "not_open_yet") {
      return { outcome: "closed", reason: constraint };
    }
    return { outcome: "stale" };
  }
}
