import type { Field, FieldSet } from "./field.ts";
import type { Location } from "./location.ts";
import * as z from "zod/mini";
import { lazy } from "#domain/lazy.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";

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

/** Returns the reason why a form rejects a new submission at `now`. Null when it accepts one. */
export function closedReason(
  acceptance: Acceptance,
  submissionCount: number,
  now: number,
): ClosedReason | null {
  const { state, opens_at, closes_at, max_submissions } = acceptance;
  if (state === "closed") return "closed";
  if (closes_at !== null && now >= closes_at) return "closed";
  if (opens_at !== null && now < opens_at) return "not_open_yet";
  if (max_submissions !== null && submissionCount >= max_submissions) return "full";
  return null;
}

/** The additional rules while a change is pending. */
export interface PendingRules {
  /** Fields that get a new type. No item may have a value under the old id. */
  emptied: RetypedField[];
  /** Fields that become unique. */
  gained: NewUniqueField[];
}

/** A field whose type changes. This requires that no item has a value under the old id. */
export interface RetypedField {
  id: number;
  /** The line items field that contains this column; null for a top-level field. */
  within: number | null;
  key: string;
}

/** A field that becomes unique. */
export interface NewUniqueField {
  id: number;
  uniqueId: number;
  key: string;
  type: Field["type"];
}

/** The progress of a scan over all items. */
export interface Progress {
  done: number;
  total: number;
}

/** The progress of a pending change, or the problem that ended it. */
export interface PendingState {
  /** The version that the definition gets when the change takes effect. */
  version: number;
  done: number;
  total: number;
  /** The problem document that an immediate change would have returned. */
  problem: Record<string, unknown> | null;
}

export const collectionKinds = ["app", "form"] as const;
export type CollectionKind = (typeof collectionKinds)[number];

/** A saved search over the items of a collection (contract, section 19). */
export interface View {
  key: string;
  name: string;
  /** In the format of searches, with the current keys of the fields. */
  conditions?: unknown[] | undefined;
  sort?: unknown[] | undefined;
  /** The keys of the visible fields. Absent for all fields. */
  fields?: string[] | undefined;
}

/** A definition without the server's own counters. */
export interface Definition {
  name: string;
  description: string;
  /** IANA name. */
  time_zone: string;
  /** Apps only; empty for forms. */
  receipt_prefix: string;
  /** Forms only; apps keep `alwaysOpen`. */
  acceptance: Acceptance;
  /** The number of days for which changes of items are kept. Missing in definitions older than this member. */
  history_days?: number;
  /** Missing in definitions older than this member. Null for a caller that may not know the views. */
  views?: readonly View[] | null;
  /** Forms only. Missing in definitions older than this member. */
  retain?: Retention | null;
  /** The location of the data that the creator chose. Absent for any location. It never changes. */
  location?: Location;
  fields: FieldSet;
}

/** The time for which a form keeps its submissions, counted from their creation, and the submissions that expire. */
export type RetentionRule = NonNullable<z.infer<ReturnType<typeof retainSchema>>>;

export interface Retention extends RetentionRule {
  /** No submission expires before this time, in milliseconds since 1970. */
  appliesFrom: number;
}

const maxRetainDays = 36_500;

export const retainSchema = lazy(() =>
  z.nullable(
    z.strictObject({
      days: z.int().check(z.minimum(1), z.maximum(maxRetainDays)),
      only: z.enum(["closed", "all"]),
    }),
  ),
);

/** The maximum number of expiring submissions of a form that the overview counts. */
export const maxExpiringCount = 1000;

/** The time in which members can notice that a rule erases too much. */
const retentionNoticeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns the new rule, or the current one if the new one is absent. `startRetention` decides when a new rule applies.
 */
export function replaceRetention(
  current: Retention | null | undefined,
  sent: RetentionRule | null | undefined,
): Retention | null {
  if (sent === undefined) return current ?? null;
  return sent && { ...sent, appliesFrom: 0 };
}

/** Whether submissions expire under `after` that would not expire under `before`. */
export function isStricter(
  before: RetentionRule | null | undefined,
  after: RetentionRule | null | undefined,
): boolean {
  if (!after) return false;
  return !before || after.days < before.days || (after.only === "all" && before.only === "closed");
}

/** Sets the time from which a rule applies: 7 days after it was set or became stricter. */
export function startRetention(
  before: Retention | null | undefined,
  after: RetentionRule | null | undefined,
  now: number,
): Retention | null {
  if (!after) return null;
  const { days, only } = after;
  const keeps = before && !isStricter(before, after);
  return { days, only, appliesFrom: keeps ? before.appliesFrom : now + retentionNoticeMs };
}

export const defaultHistoryDays = 365;
/** The changes feed covers 30 days. */
export const minHistoryDays = 30;
export const maxHistoryDays = 3650;

/** The versions of a definition at which the meaning of a view last changed. */
export interface ViewVersions {
  /** The version at which the conditions last changed. Absent if they have not changed since these versions exist. */
  conditions?: number | undefined;
  /** True if items lacked results that the conditions use at the time when these conditions took effect. */
  lackedResults?: true | undefined;
  /** The version at which the conditions or the visible fields last changed. */
  meaning: number;
}

/** An app or a form, at one version of its definition. */
export interface Collection {
  id: number;
  kind: CollectionKind;
  key: string;
  version: number;
  /** Increases with every change of the rules for writes, including pending changes. */
  revision: number;
  /** Identifies this state of the collection, even when a restored database reuses revision numbers. */
  stamp: string;
  /** The rules of a pending change. Writes follow them in addition to the definition. */
  pending: PendingRules | null;
  /** The version at which the fields last changed. */
  fieldsVersion: number;
  /** By the keys of views. A view that has not changed since these versions exist has no entry. */
  viewVersions?: Readonly<Record<string, ViewVersions>>;
  definition: Definition;
}

const keyList = lazy(() =>
  z.optional(
    z
      .string()
      .check(
        z.maxLength(2000),
        z.regex(
          /^[a-z][a-z0-9_-]{0,62}(?:,[a-z][a-z0-9_-]{0,62})*$/,
          "Must be keys, separated by commas.",
        ),
      ),
  ),
);

/** The parameters that select apps and forms by their keys. */
export const selectionQuery = lazy(() => z.object({ apps: keyList(), forms: keyList() }));

/** Identifies an app or form by kind and key. */
export interface CollectionRef {
  kind: CollectionKind;
  key: string;
}

/** The maximum number of apps and forms that a query can select. */
const maxSelected = 20;

type Selection = z.output<ReturnType<typeof selectionQuery>>;

/** Lists the selected collections without duplicates. Throws 422 if there are too many. */
export function selectedCollections(query: Selection): CollectionRef[] {
  const { apps, forms } = query;
  const selected = [...toCollectionRefs("app", apps), ...toCollectionRefs("form", forms)];
  if (selected.length <= maxSelected) return selected;
  const reason = `Must have at most ${maxSelected} apps and forms, not ${selected.length}.`;
  throw selectionProblem(query, reason);
}

/** Returns the problem of a query that selects too much. */
export function selectionProblem({ forms }: Pick<Selection, "forms">, reason: string): Problem {
  const field = forms === undefined ? "apps" : "forms";
  return problem.invalidInput([{ field, code: "too_complex", reason }]);
}

function toCollectionRefs(kind: CollectionKind, keys: string | undefined): CollectionRef[] {
  return [...new Set(keys?.split(",") ?? [])].map((key) => ({ kind, key }));
}
