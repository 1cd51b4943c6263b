import { checkEntries } from "./check-entries";
import { checkPending } from "./check-pending";
import { indexItems } from "./index-items";

/** Work on stored items that definitions have asked for, in bounded steps; what is left, the next run does. */
export async function catchUp(db: D1Database): Promise<void> {
  await checkPending(db);
  await checkEntries(db);
  await indexItems(db);
}
