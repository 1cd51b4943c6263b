import {
  encodeCursor,
  decodeCursor,
  invalidCursorProblem,
  type CursorPosition,
  type DecodedCursor,
  type NextPosition,
} from "#domain/cursor.ts";
import { problem } from "#domain/problem/problem.ts";
import { primaryOnly, type VersionTracker } from "#store/db/session.ts";
import type { FeedPosition } from "#actions/read.ts";
import type { AppEnv, RequestContext } from "./env.ts";

/**
 * Returns the position in the cursor, or null at the start. A cursor belongs to the list that `binding` identifies.
 * Reads are no older than the page that issued the cursor, so a scan never goes back in time.
 */
export async function readPosition(
  c: RequestContext<AppEnv>,
  binding: string,
  cursor: string | undefined,
  versions: VersionTracker = primaryOnly,
): Promise<CursorPosition | null> {
  if (cursor === undefined) return null;
  const decoded = await openCursor(c, binding, cursor);
  if (!decoded) throw invalidCursorProblem();
  if (decoded.bookmark) versions.notBefore(decoded.bookmark);
  return decoded.position;
}

/** Opens a cursor of the list that `binding` identifies. Returns undefined for any other cursor. */
export function openCursor(
  c: RequestContext<AppEnv>,
  binding: string,
  cursor: string,
): Promise<DecodedCursor | undefined> {
  return decodeCursor(c.env.keys, timelineBinding(c, binding), cursor);
}

/** Binds a cursor to its timeline, because a restore gives numbers of items to other items. */
function timelineBinding(c: RequestContext<AppEnv>, binding: string): string {
  const { epoch } = c.env.databases.timeline;
  return epoch === "" ? binding : `${epoch} ${binding}`;
}

/** Encodes a position as a cursor of the list that `binding` identifies. */
export function createCursor(
  c: RequestContext<AppEnv>,
  binding: string,
  position: Readonly<NextPosition>,
  bookmark: string | null = null,
): Promise<string> {
  return encodeCursor(c.env.keys, timelineBinding(c, binding), position, bookmark);
}

/**
 * Returns the number of a change from the cursor of a feed. The cursor contains its timeline, so that a cursor from
 * before a restore returns 410 instead of 422. The client must then list the collection again.
 */
export async function readFeedPosition(
  c: RequestContext<AppEnv>,
  binding: string,
  cursor: string,
): Promise<FeedPosition> {
  const decoded = await decodeCursor(c.env.keys, binding, cursor);
  if (!decoded) throw invalidCursorProblem();
  const [number, epoch = "", mark = "", seenUntil = 0] = decoded.position;
  if (epoch !== c.env.databases.timeline.epoch) throw problem.changesExpired();
  return { number: Number(number), mark: String(mark), seenUntil: Number(seenUntil) };
}

/** Encodes the number of a change as a cursor of the feed that `binding` identifies. */
export function createFeedCursor(
  c: RequestContext<AppEnv>,
  binding: string,
  position: Readonly<NextPosition>,
): Promise<string> {
  const { epoch } = c.env.databases.timeline;
  const [number = null, mark = "", seenUntil = 0] = position;
  const boundParts = mark === "" ? [epoch] : [epoch, mark, seenUntil];
  return encodeCursor(
    c.env.keys,
    binding,
    epoch === "" && mark === "" ? [number] : [number, ...boundParts],
  );
}
