import type { Field, FieldSet } from "./field.ts";

export interface Acceptance {
  state: "open" | "closed";
  /** Milliseconds since 1970, or null. */
  opens_at: number | null;
  closes_at: number | null;
  max_submissions: number | null;
}

export const alwaysOpen: Acceptance = {
  state: "open",
  opens_at: null,
  closes_at: null,
  max_submissions: null,
};

export type ClosedReason = "not_open_yet" | "closed" | "full";

/** Why a form does not take a new submission at `now`, when `live` are stored; null when it does. */
export function closedReason(
  acceptance: Acceptance,
  live: number,
  now: number,
): ClosedReason | null {
  const { state, opens_at, closes_at, max_submissions } = acceptance;
  if (state === "closed") return "closed";
  if (closes_at !== null && now >= closes_at) return "closed";
  if (opens_at !== null && now < opens_at) return "not_open_yet";
  if (max_submissions !== null && live >= max_submissions) return "full";
  return null;
}

export interface PendingRules {
  emptied: Emptied[];
  gained: Gained[];
}

/** A field that changes its type: possible only while no item has a value under the old id. */
export interface Emptied {
  id: number;
  /** The list that it is a column of. */
  within: number | null;
  key: string;
}

/** A field that becomes unique. */
export interface Gained {
  id: number;
  uniqueId: number;
  key: string;
  type: Field["type"];
}

/** How far a look at all items is. */
export interface Progress {
  done: number;
  total: number;
}

/** How far a pending change is, or why it was dropped. */
export interface PendingState {
  done: number;
  total: number;
  /** The problem document that it would have been. */
  problem: Record<string, unknown> | null;
}

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
