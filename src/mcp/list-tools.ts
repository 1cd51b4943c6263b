import type { ActionContext } from "#actions/context.ts";
import { listVisibleCollections, getDefinition } from "#actions/definitions.ts";
import { permissionsAllow } from "#domain/credential/permissions.ts";
import { isVisible } from "#domain/credential/credential.ts";
import { Problem } from "#domain/problem/problem.ts";
import type { ApiEnv, RequestContext } from "#http/env.ts";
import { collectionKinds, type CollectionRef } from "#domain/definition/collection.ts";
import { createCursor, openCursor } from "#http/paging.ts";
import { collectionToolName, toolDocument, toolsFor } from "./tools.ts";

/** The maximum number of apps and forms with tools, unless the URL selects them. Models need short lists. */
const maxCollections = 20;
/** The maximum size of the definitions on one page. A larger definition has no tools of its own. */
const maxDefinitionBytes = 60_000;
/** The maximum length of tool names at model vendors. */
const maxNameLength = 64;

const cursorBinding = "tools";

/**
 * Returns a page of tools, or undefined for an invalid cursor. The first page starts with the general tools. The tools
 * of each app and form follow.
 */
export async function listTools(
  c: RequestContext<ApiEnv>,
  selection: readonly CollectionRef[],
  cursor: string | undefined,
) {
  const { action, grant } = c.var;
  const tools = toolsFor(grant.permissions);
  const previousName = await readPreviousName(c, cursor);
  if (previousName === undefined) return undefined;
  const documents = previousName ? [] : tools.map((op) => toolDocument(op));
  // The input of these tools reveals the definition.
  const collections = permissionsAllow(grant.permissions, "schema:read")
    ? await collectionsWithTools(c, selection)
    : [];
  const startIndex = collections.findIndex((ref) => qualifiedKey(ref) === previousName) + 1;
  const remainingRefs = collections.slice(startIndex);
  let bytes = 0;
  for await (const [index, definition] of streamDefinitions(action, remainingRefs)) {
    if (!definition || definition.bytes > maxDefinitionBytes) continue;
    const previousRef = remainingRefs[index - 1];
    if (bytes > 0 && bytes + definition.bytes > maxDefinitionBytes && previousRef) {
      return {
        tools: documents,
        nextCursor: await createCursor(c, cursorBinding, [qualifiedKey(previousRef)]),
      };
    }
    bytes += definition.bytes;
    const { collection } = definition;
    const collectionTools = tools.filter(
      (op) =>
        op.tool.isPerCollection &&
        op.kind === collection.kind &&
        collectionToolName(op, collection.key).length <= maxNameLength,
    );
    documents.push(...collectionTools.map((op) => toolDocument(op, collection)));
  }
  return { tools: documents };
}

/**
 * Returns the name of the last collection of the previous page. Null on the first page, undefined for an invalid
 * cursor.
 */
async function readPreviousName(c: RequestContext<ApiEnv>, cursor: string | undefined) {
  if (cursor === undefined) return null;
  const position = (await openCursor(c, cursorBinding, cursor))?.position;
  return position && String(position[0]);
}

const qualifiedKey = ({ kind, key }: CollectionRef) => `${kind}:${key}`;

/**
 * The number of definitions that are read in parallel. Reading stops at the end of the page, because definitions can be
 * large.
 */
const parallelReads = 4;

async function* streamDefinitions(action: ActionContext, refs: readonly CollectionRef[]) {
  for (let start = 0; start < refs.length; start += parallelReads) {
    const definitions = await Promise.all(
      refs
        .slice(start, start + parallelReads)
        .map(({ kind, key }) => getDefinition(action, kind, key).catch(ignoreNotFound)),
    );
    for (const [index, definition] of definitions.entries())
      yield [start + index, definition] as const;
  }
}

/** A selected collection that does not exist has no tools. */
function ignoreNotFound(error: unknown): undefined {
  if (error instanceof Problem && error.code === "not_found") return;
  throw error;
}

/** Returns the apps and forms with tools: the selected ones, or all if there are few. */
async function collectionsWithTools(
  { var: { action } }: RequestContext<ApiEnv>,
  selection: readonly CollectionRef[],
) {
  if (selection.length > 0) {
    return selection.filter(({ kind, key }) => isVisible(action.resources, kind, key));
  }
  const lists = await Promise.all(
    collectionKinds.map(async (kind) => {
      const { summaries } = await listVisibleCollections(
        action,
        action.resources,
        kind,
        0,
        maxCollections + 1,
      );
      return summaries.map(({ key }): CollectionRef => ({ kind, key }));
    }),
  );
  const refs = lists.flat();
  return refs.length > maxCollections ? [] : refs;
}
