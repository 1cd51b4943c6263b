import type { FieldSet } from "./field";
import type { Acceptance } from "./acceptance";
import type { PendingRules } from "./pending";

export type CollectionKind = "app" | "form";

/** What a definition says, apart from what the server counts. */
export interface Definition {
  name: string;
  description: string;
  /** IANA name. */
  time_zone: string;
  /** Apps only; empty for forms. */
  receipt_prefix: string;
  /** Forms only; apps keep `alwaysOpen`. */
  acceptance: Acceptance;
  /** How long changes of items are kept; absent in what was stored before they were. */
  history_days?: number;
  fields: FieldSet;
}

export const defaultHistoryDays = 365;
/** The changes feed tells 30 days. */
export const fewestHistoryDays = 30;
export const mostHistoryDays = 3650;

/** An app or a form, at one version of its definition. */
export interface Collection {
  id: number;
  kind: CollectionKind;
  key: string;
  version: number;
  /** Grows with every change of what writes have to obey, a pending one included. */
  revision: number;
  /** Tells this state of it from all others, also where a restored database gives revisions anew. */
  stamp: string;
  /** What a pending change asks of writes, which obey it beside the definition. */
  pending: PendingRules | null;
  /** The version at which the fields last changed. */
  fieldsVersion: number;
  definition: Definition;
}
