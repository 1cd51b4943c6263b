import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { formatBookmarks, parseBookmarks, type Bookmarks } from "#domain/bookmarks.ts";

/**
 * The bookmarks that undo a restore. A file keeps them until the restore is complete. After an interruption, Time Travel
 * only returns bookmarks of the restored state.
 */

const fileOfUndo = (environment: string) => `.wrangler/undo.${environment}.txt`;

/** Returns the bookmarks of the databases that an incomplete restore has restored. */
export function readUndo(environment: string): Map<string, string> {
  const file = fileOfUndo(environment);
  return new Map(parseBookmarks(existsSync(file) ? readFileSync(file, "utf8") : null));
}

export function saveUndo(environment: string, undo: Bookmarks): void {
  mkdirSync(".wrangler", { recursive: true });
  writeFileSync(fileOfUndo(environment), formatBookmarks(undo) ?? "");
}

export function removeUndo(environment: string): void {
  rmSync(fileOfUndo(environment), { force: true });
}

export const formatUndoCommand = (environment: string, undo: Bookmarks): string =>
  `To undo, run: npm run restore -- --env ${environment} --to ${formatBookmarks(undo)}`;
