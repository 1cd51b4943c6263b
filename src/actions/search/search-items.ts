import type { Position } from "../../domain/cursor";
import type { Compiled } from "../../domain/data/compile";
import type { ReadContext } from "../context";
import { browseItems, type BrowsedPage } from "./browse-items";

/** A page of the items that match a search of the API. */
export async function searchItems(
  ctx: ReadContext,
  known: Compiled,
  body: unknown,
  after: Position | null,
  limit?: number,
): Promise<Pick<BrowsedPage, "views" | "more" | "compiled">> {
  return browseItems(ctx, known, { body }, after, limit);
}
