import type { ActionContext } from "#actions/context.ts";
import { listVisible, readDefinition } from "#actions/definitions.ts";
import { signingKeys } from "#domain/credential/keys.ts";
import { readCursor } from "#domain/cursor.ts";
import { allows } from "#domain/credential/permissions.ts";
import { isVisible } from "#domain/credential/credential.ts";
import { Problem } from "#domain/problem/problem.ts";
import type { ApiEnv, Reading } from "#http/env.ts";
import type { Called } from "#http/query.ts";
import { cursorAt } from "#http/paging.ts";
import { toolsFor } from "./catalogue.ts";
import { ownName, toolDocument } from "./tool.ts";

/** So many apps and forms have tools of their own, unless the address chooses some: models take few tools in. */
const mostOwn = 20;
/** Bytes of the definitions of one page; what is larger alone has no tools of its own. */
const mostBytes = 60_000;
/** What the makers of models take for a name. */
const longestName = 64;

const binding = "tools";

/** A page of the tools, nothing where the cursor is none: on the first, those for any app or form; then those of each one, from its definition. */
export async function listTools(
  c: Reading<ApiEnv>,
  chosen: readonly Called[],
  cursor: string | undefined,
) {
  const { action, grant } = c.var;
  const tools = toolsFor(grant.permissions);
  const start = await startOf(c, cursor);
  if (start === undefined) return undefined;
  const shown = start ? [] : tools.map((tool) => toolDocument(tool));
  // Their inputs tell the definition.
  const called = allows(grant.permissions, "schema:read") ? await named(c, chosen) : [];
  const after = called.findIndex((each) => nameOf(each) === start) + 1;
  const waiting = called.slice(after);
  let bytes = 0;
  for await (const [index, now] of definitionsOf(action, waiting)) {
    if (!now || now.bytes > mostBytes) continue;
    const before = waiting[index - 1];
    if (bytes > 0 && bytes + now.bytes > mostBytes && before) {
      return { tools: shown, nextCursor: await cursorAt(c, binding, [nameOf(before)]) };
    }
    bytes += now.bytes;
    const { collection } = now;
    const own = tools.filter(
      (tool) =>
        tool.kind === collection.kind && ownName(tool, collection.key).length <= longestName,
    );
    shown.push(...own.map((tool) => toolDocument(tool, collection)));
  }
  return { tools: shown };
}

/** The name of the app or form that the page before ended with; null on the first. */
async function startOf(c: Reading<ApiEnv>, cursor: string | undefined) {
  if (cursor === undefined) return null;
  const position = (await readCursor(signingKeys(c.env.TOKEN_SECRET), binding, cursor))?.position;
  return position && String(position[0]);
}

const nameOf = ({ kind, key }: Called) => `${kind}:${key}`;

/** So many are read at once, and none behind the end of a page: all of them may be large. */
const atOnce = 4;

async function* definitionsOf(action: ActionContext, waiting: readonly Called[]) {
  for (let from = 0; from < waiting.length; from += atOnce) {
    const found = await Promise.all(
      waiting
        .slice(from, from + atOnce)
        .map(({ kind, key }) => readDefinition(action, kind, key).catch(nothing)),
    );
    for (const [at, now] of found.entries()) yield [from + at, now] as const;
  }
}

/** What was chosen and is not there has no tools. */
function nothing(error: unknown): undefined {
  if (error instanceof Problem && error.code === "not_found") return;
  throw error;
}

/** The apps and forms that have tools of their own: those that were chosen, or all, where they are few. */
async function named({ var: { action } }: Reading<ApiEnv>, chosen: readonly Called[]) {
  if (chosen.length > 0) {
    return chosen
      .slice(0, mostOwn)
      .filter(({ kind, key }) => isVisible(action.resources, kind, key));
  }
  const visible = await Promise.all(
    (["app", "form"] as const).map(async (kind) => {
      const { shown } = await listVisible(action, action.resources, kind, 0, mostOwn + 1);
      return shown.map(({ key }): Called => ({ kind, key }));
    }),
  );
  const all = visible.flat();
  return all.length > mostOwn ? [] : all;
}
