import { nextIndexCheck } from "../../store/definitions/index-check";
import { nextIndexing } from "../../store/definitions/indexing";
import { nextPending } from "../../store/definitions/pending-change";
import { checkEntries } from "./check-entries";
import { checkPending } from "./check-pending";
import type { ReadContext } from "../context";
import { indexItems, type NoteChange } from "./index-items";

/**
 * Work on stored items that definitions have asked for, in bounded steps; what is left, the next run does.
 * @throws what failed, once all has been done that does not fail.
 */
export async function catchUp(db: D1Database, noteChange?: NoteChange): Promise<void> {
  const failures: unknown[] = [];
  await checkPending(db, failures);
  await checkEntries(db, failures);
  await indexItems(db, failures, noteChange);
  if (failures.length > 0) throw failures[0];
}

/** Behind the answer to whoever asked for it. */
export function catchUpLater(ctx: ReadContext): void {
  ctx.later(() => catchUp(ctx.primary, (collectionId) => ctx.noteChange(collectionId)));
}

/** Steps take less; work that stands longer was broken off. */
const standsStill = 5_000;
/** How far the work was when this isolate last looked. */
let seen = { at: -Infinity, work: "" };

/** For whoever meets unfinished work: it goes on, behind the answer, where it was broken off, as by a restart. */
export function resume(ctx: ReadContext): void {
  const now = ctx.now();
  if (now - seen.at < standsStill) return;
  const before = seen.work;
  seen = { at: now, work: before };
  ctx.later(async () => {
    seen = { at: now, work: await unfinished(ctx.primary) };
    if (seen.work === before) catchUpLater(ctx);
  });
}

async function unfinished(db: D1Database): Promise<string> {
  const [pending, check, indexing] = await Promise.all([
    nextPending(db),
    nextIndexCheck(db),
    nextIndexing(db),
  ]);
  return JSON.stringify([
    [pending?.collectionId, pending?.next],
    [check?.collectionId, check?.seen, check?.field, check?.item],
    [indexing?.collectionId, indexing?.next],
  ]);
}
