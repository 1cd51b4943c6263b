import type { Actor, AuditAction, AuditDetail } from "#domain/audit.ts";
import { foldSpelling } from "#domain/item/spelling.ts";
import type { Databases } from "#store/db/database.ts";
import { Lists } from "#store/db/lists.ts";
import type { SubjectName, SubjectNames } from "./audit.ts";
import {
  isBefore,
  loadWindows,
  positionOf,
  sourceOf,
  type AuditPosition,
  type WindowRow,
} from "./audit-window.ts";

/** An entry of the audit log: a change of an item, or another action. */
export interface AuditEntry {
  /** The number of the change or of the audit entry. It is unique within a list. */
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
  detail: AuditDetail | null;
  /** The name of a member or a credential. Null if there is none. */
  actorName: string | null;
  /** The name or receipt number of the subject. Null if there is none. */
  subjectName: string | null;
  /** The e-mail addresses of members, which filters also match. */
  actorEmail: string | null;
  subjectEmail: string | null;
  /** The collection of the action, such as `form:KEY`, and its name. */
  collection: string | null;
  collectionName: string | null;
}

export interface AuditFilter {
  /** Matches the start of an actor (`member:ID`, `credential:ID`), or a part of its e-mail address or name. */
  actor?: string | undefined;
  /** Matches the start of an action, such as `member` or `submission.create`. */
  action?: string | undefined;
  /** Matches a whole subject (the id of an item, `form:KEY`), receipt number, e-mail address or name. */
  subject?: string | undefined;
  /** Matches actions on this app or form (`form:KEY`, `app:KEY`) and on its items. */
  collection?: string | undefined;
  /** Milliseconds since 1970. */
  from?: number | undefined;
  until?: number | undefined;
  /** The position of the oldest entry. */
  since?: AuditPosition | undefined;
}

/** The matching entries of a window, newest first, and the position where the scan stopped; null at the end. */
export interface AuditScan {
  entries: AuditEntry[];
  edge: AuditPosition | null;
  /** All apps and forms, as subjects like `form:KEY` with their names. */
  collections: Pick<SubjectName, "subject" | "name">[];
}

/** Scans the newest entries before a position. */
export async function scanAudit(
  databases: Databases,
  filter: AuditFilter,
  before: AuditPosition | null,
): Promise<AuditScan> {
  const until = filter.until === undefined ? null : { at: filter.until, number: 0 };
  const newest = { at: Number.MAX_SAFE_INTEGER, number: 0 };
  const start =
    [before, until].reduce((a, b) => (a && b ? earlierPosition(a, b) : (a ?? b))) ?? newest;
  const { windows, names } = await loadWindows(databases, start);
  const scanEdge = windows.map(findScanEdge).reduce(newerPosition, undefined);
  const completeRows = new Lists(windows)
    .merge((row) => row.number)
    .filter((row) => !scanEdge || !isBefore(row, scanEdge))
    .toSorted((a, b) => (isBefore(a, b) ? 1 : -1));
  const containsActor = createNameTest(filter.actor ?? "");
  const entries = completeRows
    .map((row) => entryFromRow(row, names))
    .filter((entry) => matchesFilter(filter, entry, containsActor));
  const isExhausted = scanEdge !== undefined && isBeforeRange(filter, scanEdge);
  const edge = scanEdge && !isExhausted ? scanEdge : null;
  return { entries, edge, collections: names.collections };
}

const isBeforeRange = ({ from, since }: AuditFilter, position: AuditPosition) =>
  (from !== undefined && position.at < from) || (since !== undefined && isBefore(position, since));

/** The newest position at which the scan of a source stopped early. Older entries may be missing. */
function findScanEdge(rows: readonly WindowRow[]): AuditPosition | undefined {
  const oldestRows = new Map<number, WindowRow>();
  for (const row of rows) if (row.may_have_older) oldestRows.set(sourceOf(row), row);
  return [...oldestRows.values()].map(positionOf).reduce(newerPosition, undefined);
}

function newerPosition(
  newest: AuditPosition | undefined,
  candidate: AuditPosition | undefined,
): AuditPosition | undefined {
  return newest && candidate && isBefore(candidate, newest) ? newest : (candidate ?? newest);
}

const earlierPosition = (a: AuditPosition, b: AuditPosition) => (isBefore(a, b) ? a : b);

function matchesFilter(
  filter: AuditFilter,
  entry: AuditEntry,
  containsActor: (name: string) => boolean,
): boolean {
  const { actor, action, subject, collection } = filter;
  const actorNames = [entry.actorName, entry.actorEmail].filter((name) => name !== null);
  if (actor && !entry.actor.startsWith(actor) && !actorNames.some(containsActor)) return false;
  if (action && !entry.action.startsWith(action)) return false;
  const subjects = [entry.subject, entry.subjectName, entry.subjectEmail];
  if (subject && !subjects.some((name) => equalsText(name, subject))) return false;
  if (collection && entry.subject !== collection && entry.collection !== collection) return false;
  return !isBeforeRange(filter, entry);
}

/** Returns a test for whether a name contains a text in any spelling. It folds each of the few names once. */
function createNameTest(part: string): (name: string) => boolean {
  const foldedPart = foldSpelling(part);
  const results = new Map<string, boolean>();
  return (name) => {
    const isMatch =
      results.get(name) ?? (foldedPart !== "" && foldSpelling(name).includes(foldedPart));
    results.set(name, isMatch);
    return isMatch;
  };
}

const equalsText = (name: string | null, text: string) =>
  name?.toLowerCase() === text.toLowerCase();

function entryFromRow(row: Omit<WindowRow, "isOwn">, names: SubjectNames): AuditEntry {
  const { collection_id: collectionId, request_id: requestId, receipt, ...columns } = row;
  const { sent_request_id: sentRequestId, may_have_older: _, detail, ...entry } = columns;
  const collection = names.collection(collectionId);
  return {
    ...entry,
    collectionId,
    requestId,
    sentRequestId,
    detail: detail === null ? null : (JSON.parse(detail) as AuditDetail),
    actorName: names.of(row.actor),
    subjectName: receipt ?? names.of(row.subject),
    actorEmail: names.emailOf(row.actor),
    subjectEmail: names.emailOf(row.subject),
    collection: collection?.subject ?? null,
    collectionName: collection?.name ?? null,
  };
}
