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
import { insertAuditEntry, queryDatabase, quote } from "./resources.ts";
import type { Settings } from "./settings.ts";
import { stop } from "./wrangler.ts";

/** Moves of collections to other databases, as `npm run databases` lists, starts and stops them. */

export interface MoveOptions {
  environment: string;
  settings: Settings;
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
  problem: string | null;
}

/** The linked collections are JSON. */
type StoredMove = Omit<MoveRow, "collections"> & { collections: string };

const command = "npm run databases";
const literal: WriteValue = (value) => (typeof value === "number" ? String(value) : quote(value));

const query = <Row>(environment: string, binding: string, sql: string) =>
  queryDatabase<Row>(environment, binding, sql).results;

/** Finds the move that is under way. */
function findActive(environment: string): MoveRow | undefined {
  const sql = `SELECT * FROM collection_move WHERE ${isActive} LIMIT 1`;
  // A database that an interrupted run created has no tables yet.
  const { results } = queryDatabase<StoredMove>(environment, homeName, sql, /no such table/);
  const [row] = results;
  return row && { ...row, collections: JSON.parse(row.collections) as MoveRow["collections"] };
}

/** The state of a move in one line. */
function describe({ name, source, target, phase, total, done, ...move }: MoveRow): string {
  const way = source === null ? `to ${target}` : `from ${source} to ${target}`;
  const share = countsItems({ phase, total })
    ? `, ${Math.min(100, Math.floor((100 * done) / total))} %`
    : "";
  const since = new Date(move.requested_at).toISOString();
  const { problem, detail = "" } = move.problem === null ? {} : parseMoveProblem(move.problem);
  const reason = problem ? ` ${moveProblems[problem]} ${detail}`.trimEnd() : "";
  return `${name} moves ${way} since ${since}: ${phase}${share}.${reason}`;
}

/** Prints the moves that are under way. */
export function listActiveMoves(environment: string): void {
  const move = findActive(environment);
  if (move) console.log(`\n${describe(move)}`);
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

/** Finds where a collection is. Stops with the closest name if there is none. */
function findPlace(environment: string, name: string): Place {
  const sql = `SELECT collectionId, database FROM (${selectPlaces}) WHERE name = ${quote(name)}`;
  const [place] = query<Place>(environment, homeName, sql);
  if (place) return place;
  const namesSql = `SELECT name FROM (${selectPlaces}) ORDER BY collectionId DESC LIMIT ${maxNames}`;
  const names = query<{ name: string }>(environment, homeName, namesSql).map((row) => row.name);
  const closest = findClosest(name, names);
  const hint = closest === undefined ? listOf(names) : `Did you mean ${closest}?`;
  return stop(`There is no ${quote(name)}. ${hint}`);
}

function listOf(names: readonly string[]): string {
  if (names.length === 0) return "There are no apps and forms.";
  const shown = names.slice(0, 20).join(", ");
  return names.length > 20 ? `There are ${shown} and others.` : `There are ${shown}.`;
}

function loadGroup(environment: string, { collectionId, database }: Place): StoredCollection[] {
  const collections = query<StoredCollection>(environment, database, selectStored);
  const links = query<Link>(environment, database, selectLinks);
  return groupOf(collectionId, collections, links);
}

const findRefusal = (environment: string, request: MoveRequest): MoveRefusal | null =>
  query<{ refusal: MoveRefusal | null }>(
    environment,
    homeName,
    `SELECT ${moveRefusal(request, literal)} AS refusal`,
  )[0]?.refusal ?? null;

/** What the operator should know of a refusal, besides its reason. */
function explain(refusal: MoveRefusal, environment: string, { databases }: MoveRequest): string {
  const reason = moveProblems[refusal];
  if (refusal === "unknown_database") return `${reason} There are ${databases.join(", ")}.`;
  const active = refusal === "busy" ? findActive(environment) : undefined;
  return active ? `${reason} ${describe(active)}` : reason;
}

const selectDelays = (isPending: string) =>
  `SELECT ${isPending} AS pending, ${hasRepairs} AS repairs`;

/** What would delay the end of a move. */
function findDelays(environment: string, request: MoveRequest, group: StoredCollection[]) {
  const [source, target] = [
    query<{ pending: number; repairs: number }>(
      environment,
      request.source,
      selectDelays(hasPending(group)),
    ),
    query<{ pending: number; repairs: number }>(environment, request.target, selectDelays("0")),
  ].map(([row]) => row);
  return [
    ...(source?.pending ? [moveProblems.waits_for_definition] : []),
    ...(source?.repairs || target?.repairs ? [moveProblems.waits_for_repairs] : []),
  ];
}

/** Says what would move, and starts the move if that is confirmed. A move that is under way already goes on. */
export function startMove({ environment, settings, name, to, isConfirmed }: MoveOptions): void {
  const active = findActive(environment);
  if (active && isUnderWay(active, name, to)) return console.log(describe(active));
  const place = findPlace(environment, name);
  const group = loadGroup(environment, place);
  if (group.length > maxMovedCollections) stop(moveProblems.too_many_collections);
  const request: MoveRequest = {
    name,
    collectionId: place.collectionId,
    source: place.database,
    target: to,
    location: locationOf(group),
    databases: settings.d1_databases.map(({ binding }) => binding),
    actor: "system",
    at: Date.now(),
  };
  const refusal = findRefusal(environment, request);
  if (refusal) stop(explain(refusal, environment, request));
  const lines = group.map(
    ({ kind, key, itemCount }) => `  ${kind}:${key} (${itemCount.toLocaleString("en")} items)`,
  );
  console.log(`Moves from ${request.source} to ${to}, with all that references link to it:
${lines.join("\n")}
Requests go on meanwhile. At the end, writes wait for at most two seconds.
${request.source} keeps its copy for 7 days.`);
  for (const delay of findDelays(environment, request, group)) console.log(delay);
  if (!isConfirmed) return console.log("Nothing was done. Add --yes to do it.");
  const statements = [
    insertMove(request, literal),
    insertAuditEntry(
      { at: request.at, action: "move.start", subject: name, command },
      "changes() > 0",
    ),
  ];
  const [started] = query<{ id: number }>(environment, homeName, statements.join(";\n"));
  // Someone else was faster.
  if (!started) stop(explain(findRefusal(environment, request) ?? "busy", environment, request));
  console.log("The move starts within a minute. `npm run databases -- list` shows its progress.");
}

/** Stops the move of a collection, unless the other database has, or is about to have, it. */
export function stopMove(environment: string, name: string): void {
  const active = findActive(environment);
  if (!active || !takesAlong(active, name)) return stop(`${name} is not moving.`);
  if (active.phase === "stopping") return console.log(describe(active));
  const at = Date.now();
  const statements = [
    updateStopped(active.id, at, literal),
    insertAuditEntry({ at, action: "move.stop", subject: active.name, command }, "changes() > 0"),
  ];
  const [stopped] = query<{ id: number }>(environment, homeName, statements.join(";\n"));
  if (!stopped) stop("It is too late to stop this move. To undo it, move the data back.");
  console.log(`Stops the move of ${active.name}. Its data stays where it is.`);
}
