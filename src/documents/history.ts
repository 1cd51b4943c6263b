import { etagOf } from "../domain/etag";
import type { ItemHistory } from "../domain/item/history";
import { stamp } from "../domain/time";

/** An item's history as the administration area tells it to scripts. */
export function historyDocument({ entries, older }: ItemHistory) {
  return {
    items: entries.map(({ version, at, by, action, fields }) => ({
      version,
      etag: etagOf(version),
      at: stamp(at),
      by,
      action,
      fields,
    })),
    older,
  };
}
