import { and, eq, sql } from "drizzle-orm";
import type { SearchEntry } from "../../domain/data/search-entries";
import type { UniqueValue } from "../../domain/data/unique-values";
import type { ClosedReason } from "../../domain/definition/collection";
import { once } from "../db/attempt";
import { insertAct, type Act } from "../audit/audit";
import { failureOf } from "../db/failure";
import { guardCode, guardStatement } from "../db/guard";
import { item, searchEntry, tally, uniqueValue } from "../db/schema";
import { statement } from "../db/statement";
import { takenValues, type Taken } from "./unique-values";

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
  status: string | null;
  updatedAt: number;
  data: string;
  /** Whether the data takes more bytes than before. */
  grew: boolean;
  entries: Entries;
  unique: UniqueValues;
  /** Whether the change is possible only while the form is open: a draft that is submitted. */
  whileOpen: boolean;
}

export interface ItemRemoval extends Expected {
  entries: SearchEntry[];
  unique: UniqueValue[];
}

export type Changed =
  | { outcome: "changed" }
  /** The item or its definition is not what it was: read again. */
  | { outcome: "stale" }
  | { outcome: "closed"; reason: ClosedReason }
  | { outcome: "duplicate"; taken: Taken[] };

const { placeholder } = sql;

const isExpected = guardStatement(
  sql`select case
      when not exists (select 1 from item where number = ${placeholder("number")} and version = ${placeholder("itemVersion")})
        then ${guardCode("item_changed")}
      when c.revision <> ${placeholder("revision")} then ${guardCode("definition_changed")}
      when not ${placeholder("whileOpen")} then null
      when c.state = 'closed' or c.closes_at <= ${placeholder("at")} then ${guardCode("closed")}
      when c.opens_at > ${placeholder("at")} then ${guardCode("not_open_yet")}
    end as code
    from collection c where c.id = ${placeholder("collectionId")}`,
);

const removeEntries = statement((db) =>
  db.delete(searchEntry).where(
    sql`(field, value, item) in
        (select e.value ->> 0, e.value ->> 1, ${placeholder("number")} from json_each(${placeholder("removed")}) e)`,
  ),
);

/** A value that is there already is one whose old entry a narrower definition left behind. */
const addEntries = statement((db) =>
  db
    .insert(searchEntry)
    .select(
      sql`select e.value ->> 0, e.value ->> 1, ${placeholder("number")}, e.value ->> 2
        from json_each(${placeholder("added")}) e where true`,
    )
    .onConflictDoNothing(),
);

const releaseUnique = statement((db) =>
  db.delete(uniqueValue).where(
    sql`(field, value) in (select e.value ->> 0, e.value ->> 1 from json_each(${placeholder("released")}) e)
        and item = ${placeholder("number")}`,
  ),
);

/** What it has already stays: while a field becomes unique, nobody knows which values are there yet. */
const takeUnique = statement((db) =>
  db
    .insert(uniqueValue)
    .select(
      sql`select e.value ->> 0, e.value ->> 1, ${placeholder("number")}
        from json_each(${placeholder("taken")}) e where true`,
    )
    .onConflictDoNothing(),
);

const isMine = guardStatement(
  sql`select ${guardCode("taken")} as code where exists (
      select 1 from json_each(${placeholder("taken")}) e
        join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1
        where u.item <> ${placeholder("number")})`,
);

const updateItem = statement((db) =>
  db
    .update(item)
    .set({
      version: sql`version + 1`,
      status: sql`${placeholder("status")}`,
      definitionVersion: sql`${placeholder("definitionVersion")}`,
      updatedAt: sql`${placeholder("updatedAt")}`,
      updatedBy: sql`${placeholder("actor")}`,
      data: sql`${placeholder("data")}`,
    })
    .where(eq(item.number, placeholder("number"))),
);

/** What grows may be the largest now. */
const growLargest = statement((db) =>
  db
    .update(tally)
    .set({ largest: sql`octet_length(${placeholder("data")})` })
    .where(
      and(
        eq(tally.collectionId, placeholder("collectionId")),
        sql`largest < octet_length(${placeholder("data")})`,
      ),
    ),
);

const deleteItem = statement((db) => db.delete(item).where(eq(item.number, placeholder("number"))));

const countDown = statement((db) =>
  db
    .update(tally)
    .set({ live: sql`live - 1` })
    .where(and(eq(tally.collectionId, placeholder("collectionId")))),
);

export async function changeItem(db: D1Database, change: ItemChange, act: Act): Promise<Changed> {
  const { entries, unique } = change;
  const values = {
    ...change,
    ...act,
    whileOpen: change.whileOpen ? 1 : 0,
    removed: JSON.stringify(entries.removed),
    added: JSON.stringify(entries.added),
    released: JSON.stringify(unique.released),
    taken: JSON.stringify(unique.taken),
  };
  const statements = [
    isExpected,
    ...(entries.removed.length > 0 ? [removeEntries] : []),
    ...(entries.added.length > 0 ? [addEntries] : []),
    ...(unique.released.length > 0 ? [releaseUnique] : []),
    ...(unique.taken.length > 0 ? [takeUnique, isMine] : []),
    updateItem,
    ...(change.grew ? [growLargest] : []),
    insertAct,
  ].map((bind) => bind(db, values));
  return outcomeOf(db, statements, unique.taken, change.number);
}

export async function removeItem(db: D1Database, removal: ItemRemoval, act: Act): Promise<Changed> {
  const values = {
    ...removal,
    ...act,
    whileOpen: 0,
    removed: JSON.stringify(removal.entries),
    released: JSON.stringify(removal.unique),
  };
  const statements = [
    isExpected,
    removeEntries,
    ...(removal.unique.length > 0 ? [releaseUnique] : []),
    deleteItem,
    countDown,
    insertAct,
  ].map((bind) => bind(db, values));
  return outcomeOf(db, statements, [], removal.number);
}

async function outcomeOf(
  db: D1Database,
  statements: D1PreparedStatement[],
  taken: UniqueValues["taken"],
  number: number,
): Promise<Changed> {
  try {
    await once(() => db.batch(statements));
    return { outcome: "changed" };
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
