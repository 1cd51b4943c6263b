import type { CollectionKind } from "#domain/definition/collection.ts";
import { homeName } from "#domain/bookmarks.ts";
import { stoppablePhases, type MovePhase } from "#domain/move.ts";
import { problem } from "#domain/problem/problem.ts";
import { insertMove, listMoves, stopMove as storeStop, type Move } from "#store/home/moves.ts";
import { auditRecord, type ActionContext, type ReadContext } from "./context.ts";

/** A move as pages show it. */
export interface MoveView {
  id: number;
  /** "form:purchase", for which it was requested. */
  name: string;
  /** Null before it begins. */
  source: string | null;
  target: string;
  phase: MovePhase;
  /** The names of all collections that move together. */
  collections: string[];
  /** Copied or compared items, and all items. */
  done: number;
  total: number;
  requestedAt: number;
  movedAt: number | null;
  /** When the former database erases its copy. */
  eraseAt: number | null;
  /** How long writes waited, in milliseconds. */
  frozenMs: number | null;
  /** Why it waits, or why it was stopped. */
  problem: string | null;
  canStop: boolean;
}

const viewOf = (move: Move): MoveView => ({
  id: move.id,
  name: move.name,
  source: move.source,
  target: move.target,
  phase: move.phase,
  collections: move.collections.map(({ name }) => name),
  done: move.done,
  total: move.total,
  requestedAt: move.requestedAt,
  movedAt: move.movedAt,
  eraseAt: move.eraseAt,
  frozenMs: move.frozenMs,
  problem: move.problem,
  canStop: stoppablePhases.includes(move.phase),
});

/** Lists the newest moves. Empty for an installation with a single database. */
export async function moves({ databases }: Pick<ReadContext, "databases">): Promise<MoveView[]> {
  if (!databases.directory) return [];
  return (await listMoves(databases.home)).map(viewOf);
}

/**
 * Requests a move of an app or form, with all that is linked to it. The schedule carries it out. Throws 409 while
 * another move is not over.
 */
export async function startMove(
  ctx: ActionContext,
  { kind, key, target }: { kind: CollectionKind; key: string; target: string },
): Promise<void> {
  const { databases } = ctx;
  const placement = await databases.directory?.findCurrent({ kind, key });
  if (!placement || placement.isCreating) throw problem.notFound();
  if (!databases.dataDatabases().some(({ name }) => name === target))
    throw problem.conflict(`This installation has no database ${target}.`);
  if (placement.database === target)
    throw problem.conflict(`It is in ${target === homeName ? "the home database" : target} already.`);
  const name = `${kind}:${key}`;
  const entry = auditRecord(ctx, "move.start", name);
  const values = { name, target, actor: ctx.actor, at: entry.at };
  if (!(await insertMove(databases.home, values, entry)))
    throw problem.conflict("Another move is in progress. Wait for it or stop it.");
}

/** Stops a move. Throws 409 if it is over, or so far that it cannot be stopped. */
export async function stopMove(ctx: ActionContext, id: number): Promise<void> {
  const move = (await listMoves(ctx.databases.home)).find((each) => each.id === id);
  if (!move) throw problem.notFound();
  const entry = auditRecord(ctx, "move.stop", move.name);
  if (!(await storeStop(ctx.databases.home, id, entry)))
    throw problem.conflict("This move cannot be stopped any more.");
}
