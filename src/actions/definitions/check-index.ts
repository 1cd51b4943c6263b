import type { Compiled } from "../../domain/data/compile";
import { searchableIds } from "../../domain/data/search-entries";
import { beginIndexCheck } from "../../store/definitions/index-check";
import { catchUpLater } from "./catch-up";
import { act, type ActionContext } from "../context";

/** Has the search index of a collection looked through and mended, behind the answer and in bounded steps. */
export async function checkIndex(ctx: ActionContext, { collection }: Compiled): Promise<void> {
  const fields = [...searchableIds(collection.definition.fields)];
  const entry = act(ctx, "index.check", `${collection.kind}:${collection.key}`);
  await beginIndexCheck(ctx.db, collection.id, fields, { ...entry, collectionId: collection.id });
  catchUpLater(ctx);
}
