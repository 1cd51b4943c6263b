import type { Context } from "hono";
import { putDefinition, readDefinition } from "../../actions/definitions/definitions";
import type { CollectionKind } from "../../domain/definition/collection";
import { schemaDocument } from "../../documents/definition";
import { etagOf } from "../../domain/etag";
import { problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import type { CollectionNow } from "../../store/definitions/collections";

/** A field of a definition document, as it is written. */
export type FieldDocument = Record<string, unknown> & { key: string; type: string };

/** A definition document that can be changed and sent back. */
export interface Document extends Record<string, unknown> {
  key: string;
  name: string;
  schema_version: number;
  fields: FieldDocument[];
}

export function documentOf({ collection, live, indexing, pending }: CollectionNow): Document {
  const document = schemaDocument(collection, live, indexing, pending, Date.now());
  return JSON.parse(JSON.stringify(document)) as Document;
}

export async function current(
  c: Context<AdminEnv>,
  kind: CollectionKind,
  key: string,
): Promise<CollectionNow> {
  return readDefinition(c.var.action, kind, key);
}

/**
 * Saves a document that was made from version `version`. When somebody else saved in between, nothing is stored and
 * the refusal says so.
 */
export async function save(
  c: Context<AdminEnv>,
  kind: CollectionKind,
  document: Document,
  version: number,
): Promise<CollectionNow> {
  try {
    return await putDefinition(c.var.action, kind, document.key, document, {
      ifMatch: version === 0 ? null : [etagOf(version)],
      ifNoneMatch: version === 0 ? "*" : null,
    });
  } catch (error) {
    throw told(error);
  }
}

function told(error: unknown): unknown {
  const isLate = error instanceof Error && "code" in error && error.code === "version_mismatch";
  if (!isLate) return error;
  return problem.conflict(
    "Somebody else changed this in the meantime. Nothing was saved, and what you wrote is still here: look at what they did, then save again.",
  );
}
