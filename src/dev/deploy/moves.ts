import { homeName } from "#domain/bookmarks.ts";
import {
  countsItems,
  isUnderWay,
  maxMovedCollections,
  moveProblems,
  parseMoveProblem,
  takesAlong,
  type MovePhase,
  type MoveRefusal,
} from "#domain/move.ts";
import { findClosest } from "#domain/text-distance.ts";
import {
  groupOf,
  hasPending,
  hasRepairs,
  locationOf,
  selectLinks,
  selectStored,
  type Link,
  type StoredCollection,
} from "#store/data/move-sql.ts";
import {
  insertMove,
  isActive,
  moveRefusal,
  updateStopped,
  type MoveRequest,
  type WriteValue,
} from "#store/home/move-sql.ts";
import type { Deployment } from "./deployment.ts";
import { insertAuditEntry, queryDatabase, quote } from "./query.ts";
import { stop } from "./wrangler.ts";

/** Moves of collections to other databases, as `npm run databases` lists, starts and stops them. */

export interface MoveOptions {
  /** `form:purchase`. */
  name: string;
  /** The binding of the database. */
  to: string;
  isConfirmed: boolean;
}

interface MoveRow {
  id: number;
  name: string;
  source: string | null;
  target: string;
  phase: MovePhase;
  collections: { name: string }[];
  total: number;
  done: number;
  requested_at: number;
  erase_at: number | null;
  problem: string | null;
}

/** A move whose linked collections are JSON. */
type StoredMove = Omit<MoveRow, "collections"> & { collections: string };

const command = "npm run databases";
const literal: WriteValue = (value) => (typeof value === "number" ? String(value) : quote(value));

const query = async <Row>(deployment: Deployment, binding: string, sql: string) =>
  (await queryDatabase<Row>(deployment, binding, sql)).results;

async function loadMoves(deployment: Deployment, condition: string): Promise<MoveRow[]> {
  const sql = `SELECT * FROM collection_move WHERE ${condition} ORDER BY id`;
  // A database that an interrupted run created has no tables yet.
  const mayFail = /no such table/;
  const { results } = await queryDatabase<StoredMove>(deployment, homeName, sql, mayFail);
  return results.map((row) => ({
    ...row,
    collections: JSON.parse(row.collections) as MoveRow["collections"],
  }));
}

/** Finds the unfinished move. */
const findActive = async (deployment: Deployment): Promise<MoveRow | undefined> =>
  (await loadMoves(deployment, isActive))[0];

/** Describes the state of a move in one line. */
function describe({ name, source, target, phase, total, done, ...move }: MoveRow): string {
  const way = source === null ? `to ${target}` : `from ${source} to ${target}`;
  if (phase === "kept") {
    const [day] = new Date(move.erase_at ?? 0).toISOString().split("T");
    return `${name} moved ${way}. ${source} keeps its copy until ${day}.`;
  }
  const share = countsItems({ phase, total })
    ? `, ${Math.min(100, Math.floor((100 * done) / total))} %`
    : "";
  const since = new Date(move.requested_at).toISOString();
  const { problem, detail = "" } = move.problem === null ? {} : parseMoveProblem(move.problem);
  const reason = problem ? ` ${moveProblems[problem]} ${detail}`.trimEnd() : "";
  return `${name} moves ${way} since ${since}: ${phase}${share}.${reason}`;
}

/** Prints the unfinished move, and the moves whose former database still keeps its copy. */
export async function listMoves(deployment: Deployment): Promise<void> {
  for (const move of await loadMoves(deployment, `${isActive} OR phase = 'kept'`))
    console.log(`\n${describe(move)}`);
}

interface Place {
  collectionId: number;
  database: string;
}

const neverPlaced = "NOT EXISTS (SELECT 1 FROM placement p WHERE p.collection_id = collection.id)";
const selectPlaces = `SELECT kind || ':' || key AS name, collection_id AS collectionId, database FROM placement
    WHERE state = 'placed'
  UNION ALL SELECT kind || ':' || key, id, '${homeName}' FROM collection WHERE id > 0 AND ${neverPlaced}`;
const maxNames = 5000;

/** Finds the database of a collection. If there is none, stops and suggests the closest name. */
async function findPlace(deployment: Deployment, name: string): Promise<Place> {
  const sql = `SELECT collectionId, database FROM (${selectPlaces}) WHERE name = ${quote(name)}`;
  const [place] = await query<Place>(deployment, homeName, sql);
  if (place) return place;
  const namesSql = `SELECT name FROM (${selectPlaces}) ORDER BY collectionId DESC LIMIT ${maxNames}`;
  const rows = await query<{ name: string }>(deployment, homeName, namesSql);
  const names = rows.map((row) => row.name);
  const closest = findClosest(name, names);
  const hint = closest === undefined ? listOf(names) : `Did you mean ${closest}?`;
  return stop(`There is no ${quote(name)}. ${hint}`);
}

function listOf(names: readonly string[]): string {
  if (names.length === 0) return "There are no apps and forms.";
  const listedNames = names.slice(0, 20).join(", ");
  return names.length > 20 ? `There are ${listedNames} and others.` : `There are ${listedNames}.`;
}

async function loadGroup(
  deployment: Deployment,
  { collectionId, database }: Place,
): Promise<StoredCollection[]> {
  const collections = await query<StoredCollection>(deployment, database, selectStored);
  const links = await query<Link>(deployment, database, selectLinks);
  return groupOf(collectionId, collections, links);
}

async function findRefusal(
  deployment: Deployment,
  request: MoveRequest,
): Promise<MoveRefusal | null> {
  const sql = `SELECT ${moveRefusal(request, literal)} AS refusal`;
  const [row] = await query<{ refusal: MoveRefusal | null }>(deployment, homeName, sql);
  return row?.refusal ?? null;
}

/** Returns what the operator should know about a refusal besides its reason. */
async function explain(
  refusal: MoveRefusal,
  deployment: Deployment,
  { databases }: MoveRequest,
): Promise<string> {
  const reason = moveProblems[refusal];
  if (refusal === "unknown_database") return `${reason} There are ${databases.join(", ")}.`;
  if (refusal === "database_not_ready")
    return `${reason} \`${command} -- list\` says when it is ready.`;
  const active = refusal === "busy" ? await findActive(deployment) : undefined;
  return active ? `${reason} ${describe(active)}` : reason;
}

const selectDelays = (isPending: string) =>
  `SELECT ${isPending} AS pending, ${hasRepairs} AS repairs`;

/** Finds the reasons that would delay the end of a move. */
async function findDelays(deployment: Deployment, request: MoveRequest, group: StoredCollection[]) {
  const load = async (database: string, isPending: string) =>
    (
      await query<{ pending: number; repairs: number }>(
        deployment,
        database,
        selectDelays(isPending),
      )
    )[0];
  const source = await load(request.source, hasPending(group));
  const target = await load(request.target, "0");
  return [
    ...(source?.pending ? [moveProblems.waits_for_definition] : []),
    ...(source?.repairs || target?.repairs ? [moveProblems.waits_for_repairs] : []),
  ];
}

/**
 * Prints what would move, and starts the move after confirmation. If the move has already been started, only prints its
 * state.
 */
export async function startMove(
  deployment: Deployment,
  { name, to, isConfirmed }: MoveOptions,
): Promise<void> {
  const active = await findActive(deployment);
  if (active && isUnderWay(active, name, to)) return console.log(describe(active));
  const place = await findPlace(deployment, name);
  const group = await loadGroup(deployment, place);
  if (group.length > maxMovedCollections) stop(moveProblems.too_many_collections);
  const request: MoveRequest = {
    name,
    collectionId: place.collectionId,
    source: place.database,
    target: to,
    location: locationOf(group),
    databases: deployment.settings.d1_databases.map(({ binding }) => binding),
    actor: "system",
    at: Date.now(),
  };
  const refusal = await findRefusal(deployment, request);
  if (refusal) stop(await explain(refusal, deployment, request));
  const lines = group.map(
    ({ kind, key, itemCount }) => `  ${kind}:${key} (${itemCount.toLocaleString("en")} items)`,
  );
  console.log(`Moves from ${request.source} to ${to}, with all that references link to it:
${lines.join("\n")}
Requests go on meanwhile. At the end, writes wait for at most two seconds.
${request.source} keeps its copy for 7 days.`);
  for (const delay of await findDelays(deployment, request, group)) console.log(delay);
  if (!isConfirmed) return console.log("Nothing was done. Add --yes to do it.");
  const statements = [
    insertMove(request, literal),
    insertAuditEntry(
      { at: request.at, action: "move.start", subject: name, command },
      "changes() > 0",
    ),
  ];
  const [started] = await query<{ id: number }>(deployment, homeName, statements.join(";\n"));
  // Someone else started a move first.
  if (!started) {
    const reason = (await findRefusal(deployment, request)) ?? "busy";
    stop(await explain(reason, deployment, request));
  }
  console.log("The move starts within a minute. `npm run databases -- list` shows its progress.");
}

/** Stops the move of a collection, unless the other database already owns it or is about to. */
export async function stopMove(deployment: Deployment, name: string): Promise<void> {
  const active = await findActive(deployment);
  if (!active || !takesAlong(active, name)) return stop(`${name} is not moving.`);
  if (active.phase === "stopping") return console.log(describe(active));
  const at = Date.now();
  const statements = [
    updateStopped(active.id, at, literal),
    insertAuditEntry({ at, action: "move.stop", subject: active.name, command }, "changes() > 0"),
  ];
  const [stopped] = await query<{ id: number }>(deployment, homeName, statements.join(";\n"));
  if (!stopped) stop("It is too late to stop this move. To undo it, move the data back.");
  console.log(`Stops the move of ${active.name}. Its data stays where it is.`);
}
