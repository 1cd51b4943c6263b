import type { Actor } from "../../domain/actor";
import type { AuditAction } from "../../domain/audit-action";
import { numbersOf } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { Names, selectNames, type NameRow } from "./names";
import { selectWindow, type AuditPlace, type WindowRow } from "./audit-window";

/** Something that was done: a change of an item, or another act. */
export interface AuditEntry {
  /** Its number among the changes, or among the other acts: no two have the same. */
  number: number;
  at: number;
  actor: Actor;
  action: AuditAction;
  collectionId: number | null;
  subject: string;
  version: number | null;
  session: string | null;
  requestId: string;
  sentRequestId: string | null;
  /** The e-mail of a member, the name of a credential; null where they have none. */
  actorName: string | null;
  /** The same of a subject; the receipt number of a record, the name of an app or form. */
  subjectName: string | null;
  /** Where an item is, or was: `form:KEY`, and its name. */
  collection: string | null;
  collectionName: string | null;
}

export interface AuditFilter {
  /** The start of an actor (`member:ID`, `credential:ID`), or a part of an e-mail or of a credential's name. */
  actor?: string | undefined;
  /** The start of an action: `member`, `submission.create`. */
  action?: string | undefined;
  /** A subject as it is written (the id of an item, `form:KEY`), a receipt number, or an e-mail. */
  subject?: string | undefined;
  /** `form:KEY`, `app:KEY`: what was done to it, and in it. */
  collection?: string | undefined;
  /** Milliseconds since 1970. */
  from?: number | undefined;
  until?: number | undefined;
}

/** The entries that pass, newest first, and where to go on: a page may be short, even empty, and still have a next. */
export async function readAudit(
  db: D1Database,
  filter: AuditFilter,
  before: AuditPlace | null,
  limit: number,
): Promise<{ entries: AuditEntry[]; next: AuditPlace | null }> {
  const until = filter.until === undefined ? null : { at: filter.until, number: 0 };
  const newest = { at: Number.MAX_SAFE_INTEGER, number: 0 };
  const from = [before, until].reduce((a, b) => (a && b ? earlier(a, b) : (a ?? b))) ?? newest;
  const [window, named] = await attempt(() =>
    db.batch([selectWindow(db, from), selectNames(db, {})]),
  );
  const results = (window?.results ?? []) as WindowRow[];
  const names = new Names((named?.results ?? []) as NameRow[]);
  const edge = edgeOf(results);
  const known = results.filter((row) => !edge || !isBefore(row, edge));
  const passing = known.map((row) => entryOf(row, names)).filter((entry) => passes(filter, entry));
  const shown = passing.slice(0, limit);
  const last = shown.at(-1);
  const ended = edge !== undefined && filter.from !== undefined && edge.at < filter.from;
  const next = passing.length > limit && last ? placeOf(last) : edge && !ended ? edge : null;
  return { entries: shown, next };
}

/** The newest of the places behind which a source has more that was not looked at: what is older is not known whole. */
function edgeOf(rows: readonly WindowRow[]): AuditPlace | undefined {
  const oldest = new Map<number, WindowRow>();
  for (const row of rows) if (row.full) oldest.set(sourceOf(row), row);
  return [...oldest.values()]
    .map(placeOf)
    .reduce<AuditPlace | undefined>(
      (newest, each) => (!newest || isBefore(newest, each) ? each : newest),
      undefined,
    );
}

/** The collection of a change; acts of others are numbered below the first of them. */
const sourceOf = ({ number }: AuditPlace) => Math.floor(number / numbersOf(1).above);

const placeOf = ({ at, number }: AuditPlace): AuditPlace => ({ at, number });

const isBefore = (a: AuditPlace, b: AuditPlace) =>
  a.at < b.at || (a.at === b.at && a.number < b.number);

const earlier = (a: AuditPlace, b: AuditPlace) => (isBefore(a, b) ? a : b);

function passes(filter: AuditFilter, entry: AuditEntry): boolean {
  const { actor, action, subject, collection, from } = filter;
  if (actor && !entry.actor.startsWith(actor) && !has(entry.actorName, actor)) return false;
  if (action && !entry.action.startsWith(action)) return false;
  if (subject && entry.subject !== subject && !isNamed(entry.subjectName, subject)) return false;
  if (collection && entry.subject !== collection && entry.collection !== collection) return false;
  return from === undefined || entry.at >= from;
}

const has = (name: string | null, part: string) =>
  name?.toLowerCase().includes(part.toLowerCase()) ?? false;
const isNamed = (name: string | null, text: string) => name?.toLowerCase() === text.toLowerCase();

function entryOf(row: WindowRow, names: Names): AuditEntry {
  const { collection_id: collectionId, request_id: requestId, receipt, ...rest } = row;
  const { sent_request_id: sentRequestId, full: _, ...entry } = rest;
  const place = names.collection(collectionId);
  return {
    ...entry,
    collectionId,
    requestId,
    sentRequestId,
    actorName: names.of(row.actor),
    subjectName: receipt ?? names.of(row.subject),
    collection: place?.subject ?? null,
    collectionName: place?.name ?? null,
  };
}
