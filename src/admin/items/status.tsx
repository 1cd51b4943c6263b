import type { Status } from "../../domain/item/status";
import { Badge } from "../../html/parts/badge";

const tones = { draft: "warn", submitted: "good", closed: "quiet" } as const;
export const statusWords = { draft: "Draft", submitted: "Submitted", closed: "Closed" } as const;

/** Where a submission stands; records have no status. */
export function StatusBadge({ status }: { status: Status | null }) {
  return status === null ? null : <Badge tone={tones[status]}>{statusWords[status]}</Badge>;
}
