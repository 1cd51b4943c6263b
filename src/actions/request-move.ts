import { isUnderWay, stoppablePhases, type MoveProblem, type MoveRefusal } from "#domain/move.ts";
import { problem } from "#domain/problem/problem.ts";
import type { StoredCollection } from "#store/data/move-sql.ts";
import { hasPendingDefinition, hasUnfinishedRepairs } from "#store/data/move-sides.ts";
import type { DataDatabase } from "#store/db/database.ts";
import { loadActorNames } from "#store/home/audit.ts";
import { loadCollectionNames, type NamedCollection } from "#store/home/find.ts";
import {
  findMoveRefusal,
  startMove as storeMove,
  stopMove as storeStop,
} from "#store/home/move-requests.ts";
import type { MoveRequest } from "#store/home/move-sql.ts";
import { findMove, listMoves as listStoredMoves, type Move } from "#store/home/moves.ts";
import { auditRecord, type ReadContext } from "./context.ts";
import type { MemberContext } from "./members.ts";
import { databaseNames, findMoveGroup, type MoveGroup } from "./move-group.ts";

/** Lets members start, watch and stop moves. The schedule performs them. */

const listedMs = 7 * 24 * 60 * 60 * 1000;

/** A move with the name of the member who started it. The name is null if the service started it. */
export interface ListedMove extends Move {
  actorName: string | null;
  canStop: boolean;
}

/** Lists unfinished moves and the moves of the last 7 days. Without a directory there are none. */
export async function listMoves(
  ctx: Pick<ReadContext, "databases" | "now">,
): Promise<ListedMove[]> {
  const { home, directory } = ctx.databases;
  if (!directory) return [];
  const moves = await listStoredMoves(home, ctx.now() - listedMs);
  const names = await loadActorNames(
    home,
    moves.map(({ actor }) => actor),
  );
  return moves.map((move) => ({
    ...move,
    actorName: names.get(move.actor) ?? null,
    canStop: stoppablePhases.includes(move.phase),
  }));
}

/**
 * Lists the newest apps and forms of each database to choose from. Empty with a single database, which cannot move any.
 */
export const listMovable = async ({
  databases,
}: Pick<ReadContext, "databases">): Promise<NamedCollection[]> =>
  databases.directory ? loadCollectionNames(databases) : [];

/** The effects of a move. */
export interface MovePlan {
  source: string;
  target: string;
  collections: StoredCollection[];
  items: number;
  /** The reasons why the move would have to wait. */
  delays: MoveProblem[];
}

const requestOf = (
  ctx: MemberContext,
  { name, collectionId, source, location }: MoveGroup,
  target: string,
): MoveRequest => ({
  name,
  collectionId,
  source: source.name,
  target,
  location,
  databases: databaseNames(ctx.databases),
  actor: ctx.actor,
  at: ctx.now(),
});

/** Finds the collections that would move, and the reasons for a delay. Returns the problem if the move cannot start. */
export async function planMove(
  ctx: MemberContext,
  name: string,
  target: string,
): Promise<MovePlan | MoveRefusal> {
  const group = await findMoveGroup(ctx.databases, name);
  if (typeof group === "string") return group;
  const refusal = await findMoveRefusal(ctx.databases.home, requestOf(ctx, group, target));
  if (refusal) return refusal;
  const { source, collections } = group;
  return {
    source: source.name,
    target,
    collections,
    items: collections.reduce((sum, { itemCount }) => sum + itemCount, 0),
    delays: await findDelays(ctx, group, target),
  };
}

async function findDelays(
  { databases }: MemberContext,
  { source, collections }: MoveGroup,
  target: string,
): Promise<MoveProblem[]> {
  const isOfMove = ({ name }: DataDatabase) => name === source.name || name === target;
  const [isPending, ...repairs] = await Promise.all([
    hasPendingDefinition(source, collections),
    ...databases.dataDatabases().filter(isOfMove).map(hasUnfinishedRepairs),
  ]);
  return [
    ...(isPending ? (["waits_for_definition"] as const) : []),
    ...(repairs.includes(true) ? (["waits_for_repairs"] as const) : []),
  ];
}

/** Starts a move. A repeated call returns the unfinished move. Returns the problem if the move cannot start. */
export async function startMove(
  ctx: MemberContext,
  name: string,
  target: string,
): Promise<{ move: ListedMove; isNew: boolean } | MoveRefusal> {
  const group = await findMoveGroup(ctx.databases, name);
  if (typeof group === "string") return group;
  const entry = auditRecord(ctx, "move.start", name);
  const request = requestOf(ctx, group, target);
  const started = await storeMove(ctx.databases.home, ctx.member, request, entry);
  const moves = await listMoves(ctx);
  const isSame = (move: ListedMove) =>
    "id" in started ? move.id === started.id : isUnderWay(move, name, target);
  const move = moves.find(isSame);
  if (move) return { move, isNew: "id" in started };
  return "id" in started ? "moved_meanwhile" : started.refusal;
}

/** Stops a move. A repeated call changes nothing. Returns null if the move can no longer be stopped. */
export async function stopMove(ctx: MemberContext, id: number): Promise<ListedMove | null> {
  const { home } = ctx.databases;
  const move = await findMove(home, id);
  if (!move) throw problem.notFound();
  await storeStop(home, ctx.member, id, auditRecord(ctx, "move.stop", move.name));
  const stopped = (await listMoves(ctx)).find((each) => each.id === id);
  return stopped && (stopped.phase === "stopping" || stopped.phase === "stopped") ? stopped : null;
}
