import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { formatBookmarks, parseBookmarks, type Bookmarks } from "#domain/bookmarks.ts";

/**
 * The bookmarks that undo a restore, and the time when it began. They stay in a file until the restore is complete.
 * After an interruption, Time Travel returns only bookmarks of the restored state.
 */

const fileOfUndo = (environment: string) => `.wrangler/undo.${environment}.txt`;

/** Reads the bookmarks, and the time in milliseconds from the second line. */
function readLines(environment: string): string[] {
  const file = fileOfUndo(environment);
  return existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
}

/** Returns the bookmarks of the databases that an incomplete restore has restored. */
export const readUndo = (environment: string): Map<string, string> =>
  new Map(parseBookmarks(readLines(environment)[0] ?? null));

/** Returns the time when the incomplete restore began, in milliseconds. Without one, returns the current time. */
export const readRestoreStart = (environment: string): number =>
  Number(readLines(environment)[1] ?? Date.now());

export function saveUndo(environment: string, undo: Bookmarks): void {
  const startedAt = readRestoreStart(environment);
  mkdirSync(".wrangler", { recursive: true });
  writeFileSync(fileOfUndo(environment), `${formatBookmarks(undo) ?? ""}\n${startedAt}`);
}

export function removeUndo(environment: string): void {
  rmSync(fileOfUndo(environment), { force: true });
}

export const formatUndoCommand = (environment: string, undo: Bookmarks): string =>
  `To undo, run: npm run restore -- --env ${environment} --to ${formatBookmarks(undo)}`;
