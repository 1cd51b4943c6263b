import { listAuditEntries as listStoredEntries } from "#store/home/audit-log.ts";
import type { ActionContext } from "./context.ts";

type Filter = Parameters<typeof listStoredEntries>[1];
type Position = Parameters<typeof listStoredEntries>[2];

/** Lists the matching entries of the audit log, newest first. A page may be short and still have a next page. */
export const listAuditEntries = (
  { databases }: ActionContext,
  filter: Filter,
  before: Position,
  limit: number,
) => listStoredEntries(databases, filter, before, limit);
