import type { Actor } from "#domain/audit.ts";
import type { CollectionAccess } from "#domain/data/compile.ts";
import { wholeCollection } from "#domain/data/narrow.ts";
import type { ComputeBudget } from "#domain/formula/compute.ts";
import { recalculateFormer, spendViewSteps } from "#domain/formula/view-budget.ts";
import { lazy } from "#domain/lazy.ts";
import type { Item } from "./item.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { SystemField } from "#domain/data/values.ts";
import { matchSteps } from "#domain/search/match-steps.ts";
import { ItemMatcher, type MatchedItem } from "#domain/search/matches.ts";
import {
  mapLeaves,
  type Condition,
  type LeafCondition,
  type SearchField,
} from "#domain/search/tree.ts";
import { dependsOnCaller, parseView, viewFingerprint } from "#domain/search/view.ts";

/**
 * A change stores which views its item matched before and after it: a mark `FINGERPRINT:b` or `FINGERPRINT:a`. What
 * `"$me"` stands for is not known then, so such a view has a mark for each actor of the item, like `…:a:ACTOR`, and `…:a:*`
 * for all others. A mark `KEY=FINGERPRINT` says what the view with this key meant at the time of the change.
 */
interface MarkedView {
  key: string;
  fingerprint: string;
  isPersonal: boolean;
  /** Items that were last written under older definitions may lack results that the conditions use. 0 if none do. */
  resultsVersion: number;
  /** `anyoneElse` stands for the caller. */
  condition: Condition;
}

interface MarkedViews {
  views: readonly MarkedView[];
  /** The different conditions on values, each once. */
  leaves: readonly LeafCondition[];
}

const markedViews = new WeakMap<Collection, MarkedViews>();

function viewsOf(collection: Collection): MarkedViews {
  const known = markedViews.get(collection);
  if (known) return known;
  const leaves = new Map<string, LeafCondition>();
  const views = (collection.definition.views ?? []).map((view): MarkedView => {
    const { conditions } = parseView(collection, view, anyoneElse);
    const { lackedResults, conditions: version = 0 } = collection.viewVersions?.[view.key] ?? {};
    return {
      key: view.key,
      fingerprint: viewFingerprint(collection, view),
      isPersonal: dependsOnCaller(view),
      resultsVersion: lackedResults ? version : 0,
      condition: mapLeaves({ all: conditions }, (leaf) => shareLeaf(leaf, leaves)),
    };
  });
  const marked = { views, leaves: [...leaves.values()] };
  markedViews.set(collection, marked);
  return marked;
}

/** Returns the first of equal conditions, so that their results are shared. */
function shareLeaf(leaf: LeafCondition, known: Map<string, LeafCondition>): LeafCondition {
  const key = JSON.stringify(leaf, (name, value: unknown) =>
    name === "field" ? (value as SearchField).number : value,
  );
  const shared = known.get(key) ?? leaf;
  known.set(key, shared);
  return shared;
}

/** The condition with an actor in place of `anyoneElse`. */
const forActor = (condition: Condition, actor: string): Condition =>
  mapLeaves(condition, (leaf) => {
    if (leaf.field.kind !== "actor") return leaf;
    if (leaf.op === "eq" || leaf.op === "ne")
      return leaf.value === anyoneElse ? { ...leaf, value: actor } : leaf;
    if (leaf.op !== "in" && leaf.op !== "not_in") return leaf;
    const value = leaf.value.map((each) => (each === anyoneElse ? actor : each));
    return { ...leaf, value };
  });

/** Stands for every actor that the item does not name. */
const anyoneElse = "*";

type Phase = "b" | "a";

/** A mark of a new item that values decide which the database assigns. */
export interface AssignedMark {
  condition: Condition;
  /** The marks if the item meets the condition, and the one if it does not. */
  positive: string[];
  negative: string | null;
}

export interface ChangeMarks {
  /** The marks that are known, as JSON; null for a collection without views. */
  known: string | null;
  assigned: AssignedMark[];
}

export const noMarks: ChangeMarks = { known: null, assigned: [] };

const assignedValues: ReadonlySet<SystemField> = new Set([
  "receiptNumber",
  "createdAt",
  "updatedAt",
]);

/**
 * The marks of a change of a stored item. All are known. Without a budget, the work has no limit: what erases items must not
 * fail.
 */
export const viewMarks = (
  access: CollectionAccess,
  before: Item | null,
  after: Item | null,
  budget: ComputeBudget | null = null,
): ChangeMarks => changeMarks(access, before, after, new Set(), budget);

/** The marks of a change of an item that the batch of the change creates. */
export const newItemMarks = (
  access: CollectionAccess,
  before: Item | null,
  after: MatchedItem,
  budget: ComputeBudget,
): ChangeMarks => changeMarks(access, before, after, assignedValues, budget);

function changeMarks(
  access: CollectionAccess,
  before: Item | null,
  after: MatchedItem | null,
  unknown: ReadonlySet<SystemField>,
  budget: ComputeBudget | null,
): ChangeMarks {
  const { views, leaves } = viewsOf(wholeCollection(access).collection);
  if (views.length === 0) return noMarks;
  const actors = new Set<Actor>(
    [before, after].flatMap((item) => (item ? [item.createdBy, item.updatedBy] : [])),
  );
  const assigned: AssignedMark[] = [];
  const prepare = (item: MatchedItem, previous: ItemMatcher | null): ItemMatcher => {
    const known = matchers.get(item) ?? new ItemMatcher(item, previous);
    if (budget && !matchers.has(item)) spendViewSteps(budget, access, matchSteps(leaves, known));
    matchers.set(item, known);
    return known;
  };
  const stored = before && prepare(before, null);
  const next = after && prepare(after, stored);
  const recalculated = lazy(() =>
    prepare(recalculateFormer(access, before as Item, budget), stored),
  );
  // If the item may lack results that a view uses, it has those of the formulas as they are now, so that no mark says that
  // the view showed an item which it never did.
  const former = ({ resultsVersion }: MarkedView) =>
    before && before.definitionVersion < resultsVersion ? recalculated() : stored;
  const known = views.flatMap((view) => {
    const found = [
      ...marksOf(view, "b", former(view), actors, unknown),
      ...marksOf(view, "a", next, actors, unknown),
    ];
    const key = keyMark(view.key, view.fingerprint);
    const open = found.filter((mark) => typeof mark !== "string");
    assigned.push(...open.map((mark) => ({ ...mark, positive: [key, ...mark.positive] })));
    const own = found.filter((mark) => typeof mark === "string");
    return own.length > 0 ? [key, ...own] : [];
  });
  return { known: JSON.stringify([...new Set(known)]), assigned };
}

/** The matchers of items. The operations of a batch share them. */
const matchers = new WeakMap<MatchedItem, ItemMatcher>();

function marksOf(
  { fingerprint, isPersonal, condition: viewCondition }: MarkedView,
  phase: Phase,
  matcher: ItemMatcher | null,
  actors: ReadonlySet<Actor>,
  unknown: ReadonlySet<SystemField>,
): (string | AssignedMark)[] {
  if (!matcher) return [];
  const name = `${fingerprint}:${phase}`;
  const markFor = (
    actor: string,
    positive: string,
    negative: string | null,
  ): (string | AssignedMark)[] => {
    const own = actor === anyoneElse ? viewCondition : forActor(viewCondition, actor);
    const condition = matcher.reduce(own, unknown);
    if (typeof condition !== "boolean") return [{ condition, positive: [positive], negative }];
    const mark = condition ? positive : negative;
    return mark === null ? [] : [mark];
  };
  if (!isPersonal) return markFor(anyoneElse, name, null);
  const others = markFor(anyoneElse, `${name}:${anyoneElse}`, null);
  const [other] = others;
  // If it is known whether the item matches for all others, an actor for which it is the same needs no mark.
  const isRepeated = (mark: string | AssignedMark, actor: Actor) =>
    mark === (typeof other === "string" ? `${name}:${actor}` : `${name}:!${actor}`);
  const own = [...actors].flatMap((actor) => {
    const marks = markFor(actor, `${name}:${actor}`, `${name}:!${actor}`);
    return typeof other === "object" ? marks : marks.filter((mark) => !isRepeated(mark, actor));
  });
  return [...own, ...others];
}

const keyMark = (key: string, fingerprint: string) => `${key}=${fingerprint}`;

/** The start of the JSON of the key mark of a view. Marks that lack it say nothing about the view. */
export const keyMarkStart = (key: string): string => `"${keyMark(key, "")}`;

/** Whether an item was in a view before and after a change. */
export interface Matched {
  before: boolean;
  after: boolean;
}

const parseMarks = (marks: string | null) =>
  marks === null ? [] : (JSON.parse(marks) as string[]);

/** The marks of one phase that say whether the item matched the view for an actor. */
export interface PhaseMarks {
  /** It matched for everybody, or for the actor. */
  positive: readonly [string, string];
  /** It matched for all actors that it does not name. */
  others: string;
  /** It names the actor, for which it did not match. */
  negative: string;
}

/** The marks that decide for an actor, before and after a change. */
export const marksFor = (fingerprint: string, actor: Actor): Record<keyof Matched, PhaseMarks> => {
  const ofPhase = (phase: Phase): PhaseMarks => {
    const name = `${fingerprint}:${phase}`;
    const [positive, negative] = [`${name}:${actor}`, `${name}:!${actor}`];
    return { positive: [name, positive], others: `${name}:${anyoneElse}`, negative };
  };
  return { before: ofPhase("b"), after: ofPhase("a") };
};

/** Whether the item matched the view for this caller before and after a change with these marks. */
export function readMarks(marks: string | null, fingerprint: string, actor: Actor): Matched {
  const list = new Set(parseMarks(marks));
  const has = ({ positive, others, negative }: PhaseMarks) =>
    positive.some((mark) => list.has(mark)) || (list.has(others) && !list.has(negative));
  const { before, after } = marksFor(fingerprint, actor);
  return { before: has(before), after: has(after) };
}

/** The same for the view that had this key at the time of the change, whatever it means now. */
export function readMarksOfKey(marks: string | null, key: string, actor: Actor): Matched {
  const start = keyMark(key, "");
  const mark = parseMarks(marks).find((each) => each.startsWith(start));
  if (mark === undefined) return { before: false, after: false };
  return readMarks(marks, mark.slice(start.length), actor);
}
