import type { Permission } from "#domain/credential/permissions.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import type { Schema } from "#documents/openapi/schema.ts";
import type { Effect } from "#http/doors/effect.ts";
import type { ReadContext } from "#actions/context.ts";
import type { ApiEnv, AppEnv, Reading } from "#http/env.ts";

export type Sent = Record<string, unknown>;

/** What a model is told of a tool, and what the tool does; some of them go by what is read ahead. */
export interface Tool<Given = unknown> {
  name: string;
  title: string;
  description: string;
  /** Who lacks it is not told of the tool. */
  permission: Permission | null;
  effect: Effect;
  /** Whether it can overwrite what was there, and whether doing it twice does no more than doing it once. */
  hints: { destructive: boolean; idempotent: boolean };
  /** Where each app or form can have a tool of its own: their kind. */
  kind: CollectionKind | null;
  /** What it takes; of the one app or form, what that takes. */
  input: (own?: Collection) => Schema;
  /** What it reads, whoever asks: the database is asked for it beside the credential's object. */
  read?(ctx: ReadContext, c: Reading<AppEnv>, sent: Sent, key?: string): Promise<Given>;
  /** `key` is that of the app or form whose own tool was called; `given` waits for what `read` reads. */
  call(
    c: Reading<ApiEnv>,
    sent: Sent,
    key: string | undefined,
    given: () => Promise<Given>,
  ): Promise<object>;
}

/** As `tools/list` shows it; of the one app or form, under a name that ends in its key. */
export function toolDocument(tool: Tool, own?: Collection) {
  const { name, title, description, effect, hints } = tool;
  const named = own
    ? {
        name: ownName(tool, own.key),
        title: `${title}: ${own.definition.name}`,
        description: `${description} Of the ${own.kind} “${own.definition.name}” (${own.key}).`,
      }
    : { name, title, description };
  const annotations = {
    readOnlyHint: !effect.write,
    destructiveHint: hints.destructive,
    idempotentHint: hints.idempotent,
    openWorldHint: false,
  };
  return { ...named, inputSchema: tool.input(own), annotations };
}

export const ownName = ({ name }: Tool, key: string) => `${name}_${key}`;
