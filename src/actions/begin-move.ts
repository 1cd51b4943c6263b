import { homeName } from "#domain/bookmarks.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { DataDatabase } from "#store/db/database.ts";
import { loadGroup, type StoredCollection } from "#store/data/linked-collections.ts";
import { dropTriggers } from "#store/data/move-log.ts";
import {
  forgetMove,
  hasUnfinishedRepairs,
  receive,
  startNoting,
  unfreeze,
  type MovingCollection,
} from "#store/data/move-sides.ts";
import { announce, withdraw } from "#store/home/moves.ts";
import { listSites } from "#store/home/placements.ts";
import { eraseCopies } from "./copy-collections.ts";
import { MoveRefusedError, type MoveRun } from "./move-run.ts";

/** The beginning of a move, and the end of one that was stopped. */

/** The collections that move, with their epochs. */
async function loadCollections(
  run: MoveRun,
): Promise<{ source: DataDatabase; group: StoredCollection[] }> {
  const { directory } = run.databases;
  const [kind, key = ""] = run.move.name.split(":");
  const placement = await directory?.findCurrent({ kind: kind as CollectionKind, key });
  if (!placement || placement.isCreating)
    throw new MoveRefusedError(`${run.move.name} does not exist.`);
  const { database, collectionId } = placement;
  const source = run.databases.dataDatabases().find(({ name }) => name === database);
  if (!source || database === run.move.target)
    throw new MoveRefusedError(`${run.move.name} is in ${database}.`);
  const group = await loadGroup(source, collectionId);
  if (!group.some(({ id }) => id === collectionId))
    throw new MoveRefusedError(`${run.move.name} does not exist.`);
  if (group.length > maxCollections)
    throw new MoveRefusedError(
      `It is linked to ${group.length - 1} others. ${maxCollections} can move together.`,
    );
  return { source, group };
}

/** A batch gives all of them to the other database. */
const maxCollections = 50;

/** The location of a collection was chosen for good. */
async function requireLocation(run: MoveRun, group: readonly StoredCollection[]): Promise<void> {
  const { target } = run.move;
  const sites = await listSites(run.databases, run.now());
  const site = sites.find(({ db }) => db.name === target);
  if (!site && target !== homeName)
    throw new MoveRefusedError(`${target} does not take apps and forms yet.`);
  const bound = group.find(({ location }) => location !== null && location !== site?.location);
  if (bound)
    throw new MoveRefusedError(
      `${bound.kind}:${bound.key} stays in "${bound.location}". ${target} is not there.`,
    );
}

/** Prepares both databases. Returns whether copying can begin. */
export async function beginMove(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  const { source, group } = await loadCollections(run);
  await requireLocation(run, group);
  const collections: MovingCollection[] = [];
  for (const { id, kind, key } of group) {
    const placement = await run.databases.directory?.findCurrent({ id });
    collections.push({ id, name: `${kind}:${key}`, epoch: placement?.epoch ?? 0 });
  }
  const total = group.reduce((sum, { itemCount }) => sum + itemCount, 0);
  const { restores } = run.databases.timeline;
  const isSame = JSON.stringify(collections) === JSON.stringify(run.move.collections);
  const position = isSame ? run.move.position : null;
  await run.save({ source: source.name, collections, total, done: 0, position, restores });
  for (const db of run.both)
    if (await hasUnfinishedRepairs(db)) {
      await run.save({ problem: `It waits for work on all rows of ${db.name}.` });
      return false;
    }
  const number = run.move.run;
  if (!(await receive(run.target, collections, number)))
    throw new MoveRefusedError(`${run.move.target} owns one of the collections.`);
  if (!(await eraseCopies(run, run.target, run.move, hasTime))) return false;
  await announce(run.databases.home, collections, source.name);
  await startNoting(run.source, collections, number);
  await run.save({ phase: "copying", announcedAt: run.now(), problem: null });
  return true;
}

/** Removes what a stopped move has left. Returns whether that is done. */
export async function cleanUp(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  const { source, collections } = run.move;
  if (source !== null) {
    await unfreeze(run.source, collections);
    await forgetMove(run.source, "source");
    await dropTriggers(run.source);
    await withdraw(run.databases.home, collections);
    if (!(await eraseCopies(run, run.target, run.move, hasTime))) return false;
    await forgetMove(run.target, "target");
  }
  await run.save({ phase: "stopped" });
  return true;
}
