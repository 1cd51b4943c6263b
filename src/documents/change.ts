import type { ChangeView } from "../domain/item/change";
import { etagOf } from "../domain/etag";
import { stamp } from "../domain/time";
import { itemDocument } from "./item";

/** An entry of the changes feed (contract, section 13). */
export function changeDocument({ id, type, version, at, by, fields, item }: ChangeView) {
  const told = { id, type, version, etag: etagOf(version), at: stamp(at), by, fields };
  return item ? { ...told, item: itemDocument(item) } : told;
}
