import type { Collection, CollectionKind, Definition } from "../../domain/definition/collection";
import type { Act } from "../audit/audit";
import type { Pending, PendingChange } from "./collection-now";
import {
  auditCreation,
  dropPending,
  takeEffect,
  insertCollection,
  insertTally,
  isExpected,
  definitionRow,
  savedBy,
  type Saved,
} from "./definition-statements";
import { areEmpty, fillUnique } from "./field-statements";

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
  return savedBy(db, [
    isExpected(db, { id, revision }),
    ...dropPending(db, current, before),
    ...areEmpty(db, id, change.emptied),
    ...fillUnique(db, id, change.gained),
    ...takeEffect(db, current, change, act),
  ]);
}
