import { fieldNumber } from "../../domain/data/field-number";
import type { Collection, CollectionKind, Definition } from "../../domain/definition/collection";
import { numbersOf } from "../../domain/item/item";
import type { Act } from "../audit/audit";
import type { Pending, PendingChange } from "./collection-now";
import {
  auditCreation,
  dropPending,
  takeEffect,
  fillUnique,
  insertCollection,
  insertTally,
  isEmpty,
  isExpected,
  definitionRow,
  savedBy,
  type Saved,
} from "./definition-statements";

export async function createCollection(
  db: D1Database,
  kind: CollectionKind,
  key: string,
  definition: Definition,
  act: Act,
): Promise<Saved> {
  const row = { ...definitionRow(definition, 1, act.at), kind, key, createdAt: act.at };
  const values = { ...act, ...row, version: 1, revision: 1 };
  return savedBy(
    db,
    [insertCollection, insertTally, auditCreation].map((bind) => bind(db, values)),
  );
}

/** Replaces a definition by the next version, with all that this asks of stored data, in one batch. */
export async function changeDefinition(
  db: D1Database,
  current: Collection,
  change: PendingChange,
  before: Pending | null,
  act: Act,
): Promise<Saved> {
  const { id, revision } = current;
  const range = { id, ...numbersOf(id) };
  return savedBy(db, [
    isExpected(db, { id, revision }),
    ...dropPending(db, current, before),
    ...change.emptied.map((field) =>
      isEmpty(db, {
        ...range,
        slot: String(field.id),
        within: field.within === null ? null : String(field.within),
      }),
    ),
    ...change.gained.map((field) =>
      fillUnique(db, {
        ...range,
        field: fieldNumber(id, field.uniqueId),
        slot: String(field.id),
        isDate: field.type === "date" ? 1 : 0,
      }),
    ),
    ...takeEffect(db, current, change, act),
  ]);
}
