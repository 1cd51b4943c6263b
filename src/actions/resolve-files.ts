import type { CollectionAccess } from "#domain/data/narrow.ts";
import { isFileId } from "#domain/files/file.ts";
import { mapSentFiles, sentFileId, SentFile } from "#domain/files/sent-file.ts";
import { findFiles } from "#store/data/files.ts";
import type { ActionContext } from "./context.ts";

/** Looks up the files in the bodies of items, in one round trip. The batch of a write checks them again. */
export async function resolveFiles(
  ctx: ActionContext,
  { extent, fields, collection }: CollectionAccess,
  bodies: readonly unknown[],
): Promise<unknown[]> {
  if (fields.fileKeys.length === 0) return [...bodies];
  const ids = new Set<string>();
  for (const body of bodies) {
    mapSentFiles(fields, body, (entry) => {
      const id = sentFileId(entry);
      if (id !== undefined && isFileId(id)) ids.add(id);
      return entry;
    });
  }
  if (ids.size === 0) return [...bodies];
  const files = await findFiles(ctx.databases.of(collection), [...ids], ctx.now());
  const toSentFile = (entry: unknown) => {
    const id = sentFileId(entry);
    if (id === undefined) return entry;
    const file = files.get(id);
    // "In use" would reveal to a narrow caller that an item exists which it may no longer see.
    const isKnown = extent === "whole" || file?.item === null;
    return new SentFile(id, file, isKnown && file?.owner === ctx.actor);
  };
  return bodies.map((body) => mapSentFiles(fields, body, toSentFile));
}
