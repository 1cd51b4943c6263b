import type { Actor } from "#domain/audit.ts";
import type { CollectionAccess, Slots } from "#domain/data/compile.ts";
import { shownSlots, wholeCollection } from "#domain/data/narrow.ts";
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
import { findViewBound, type ViewBound } from "#domain/search/view-bound.ts";

/**
 * A change stores the views that its item matched before and after it, as marks `FINGERPRINT:b` and `FINGERPRINT:a`.
 * The caller behind `"$me"` is unknown at that time, so a view with `"$me"` has a mark for each actor of the item, like
 * `…:a:ACTOR`, and `…:a:*` for all others. A mark `KEY=FINGERPRINT` records the meaning of the view with this key at
 * the time of the change.
 */
interface MarkedView {
  key: string;
  fingerprint: string;
  isPersonal: boolean;
  /** The version below which items may lack results that the conditions use. 0 if none do. */
  resultsVersion: number;
  /** `anyoneElse` stands for the caller. */
  condition: Condition;
  /** Larger items are outside the view. */
  bound: ViewBound | null;
  shown: Slots;
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
  const slots = new Map<string, Slots>();
  const views = (collection.definition.views ?? []).map((view): MarkedView => {
    const { conditions } = parseView(collection, view, anyoneElse);
    const { lackedResults, conditions: version = 0 } = collection.viewVersions?.[view.key] ?? {};
    return {
      key: view.key,
      fingerprint: viewFingerprint(collection, view),
      isPersonal: dependsOnCaller(view),
      resultsVersion: lackedResults ? version : 0,
      condition: mapLeaves({ all: conditions }, (leaf) => shareLeaf(leaf, leaves)),
      bound: findViewBound(conditions),
      shown: shareSlots(shownSlots(collection, view), slots),
    };
  });
  const marked = { views, leaves: [...leaves.values()] };
  markedViews.set(collection, marked);
  return marked;
}

/** Returns the first of equal conditions, so that they share their results. */
function shareLeaf(leaf: LeafCondition, known: Map<string, LeafCondition>): LeafCondition {
  const key = JSON.stringify(leaf, (name, value: unknown) =>
    name === "field" ? (value as SearchField).number : value,
  );
  const shared = known.get(key) ?? leaf;
  known.set(key, shared);
  return shared;
}

/** Returns the first of equal slots, so that views which show the same fields share the sizes of an item's parts. */
function shareSlots(slots: Slots, known: Map<string, Slots>): Slots {
  const key = JSON.stringify([...slots]);
  const shared = known.get(key) ?? slots;
  known.set(key, shared);
  return shared;
}

/** Returns the condition with an actor instead of `anyoneElse`. */
const forActor = (condition: Condition, actor: string): Condition =>
  mapLeaves(condition, (leaf) => {
    if (leaf.field.kind !== "actor") return leaf;
    if (leaf.op === "eq" || leaf.op === "ne")
      return leaf.value === anyoneElse ? { ...leaf, value: actor } : leaf;
    if (leaf.op !== "in" && leaf.op !== "not_in") return leaf;
    const value = leaf.value.map((each) => (each === anyoneElse ? actor : each));
    return { ...leaf, value };
  });

/** Represents every actor that the item does not name. */
const anyoneElse = "*";

type Phase = "b" | "a";

/** A mark of a new item that depends on values which the database assigns. */
export interface AssignedMark {
  condition: Condition;
  /** The marks to store if the item meets the condition, and the mark to store if it does not. */
  positive: string[];
  negative: string | null;
}

export interface ChangeMarks {
  /** The known marks as JSON. Null for a collection without views. */
  known: string | null;
  assigned: AssignedMark[];
}

export const noMarks: ChangeMarks = { known: null, assigned: [] };

const assignedValues: ReadonlySet<SystemField> = new Set([
  "receiptNumber",
  "createdAt",
  "updatedAt",
]);

/** The steps of `matchSteps` that take as long as one step of a formula. */
const matchStepsPerFormulaStep = 100;

/**
 * Returns how long it takes to decide which views an item matches, in steps of formulas. Schedules that cannot reject an
 * item use this to continue with the next items later.
 */
export function viewWork(access: CollectionAccess, item: MatchedItem): number {
  const { leaves } = viewsOf(wholeCollection(access).collection);
  const steps = matchSteps(leaves, new ItemMatcher(item));
  return steps.reduce((sum, [, , count]) => sum + count, 0) / matchStepsPerFormulaStep;
}

/**
 * Returns the marks of a change of a stored item. All of them are known. Without a budget, the work has no limit, so that
 * an erasure never fails.
 */
export const viewMarks = (
  access: CollectionAccess,
  before: Item | null,
  after: Item | null,
  budget: ComputeBudget | null = null,
): ChangeMarks => changeMarks(access, before, after, new Set(), budget);

/** Returns the marks of a change of an item that the batch of the change creates. */
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
  // If the item may lack results that a view uses, the current formulas compute them, so that no mark claims that the view
  // contained an item which it never did.
  const former = ({ resultsVersion }: MarkedView) =>
    before && before.definitionVersion < resultsVersion ? recalculated() : stored;
  const known = views.flatMap((view) => {
    const marks = [
      ...marksOf(view, "b", former(view), actors, unknown),
      ...marksOf(view, "a", next, actors, unknown),
    ];
    const key = keyMark(view.key, view.fingerprint);
    const open = marks.filter((mark) => typeof mark !== "string");
    assigned.push(...open.map((mark) => ({ ...mark, positive: [key, ...mark.positive] })));
    const knownMarks = marks.filter((mark) => typeof mark === "string");
    return knownMarks.length > 0 ? [key, ...knownMarks] : [];
  });
  return { known: JSON.stringify([...new Set(known)]), assigned };
}

/** The matchers of items. The operations of a batch share them. */
const matchers = new WeakMap<MatchedItem, ItemMatcher>();

function marksOf(
  view: MarkedView,
  phase: Phase,
  matcher: ItemMatcher | null,
  actors: ReadonlySet<Actor>,
  unknown: ReadonlySet<SystemField>,
): (string | AssignedMark)[] {
  const marks = matchMarks(view, phase, matcher, actors, unknown);
  // Few items match a view, so this measures few items.
  return marks.length > 0 && matcher?.fits(view.bound, view.shown) ? marks : [];
}

/** Returns the marks of an item of any size. */
function matchMarks(
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
    const actorCondition = actor === anyoneElse ? viewCondition : forActor(viewCondition, actor);
    const condition = matcher.reduce(actorCondition, unknown);
    if (typeof condition !== "boolean") return [{ condition, positive: [positive], negative }];
    const mark = condition ? positive : negative;
    return mark === null ? [] : [mark];
  };
  if (!isPersonal) return markFor(anyoneElse, name, null);
  const others = markFor(anyoneElse, `${name}:${anyoneElse}`, null);
  const [other] = others;
  // An actor needs a mark only if its result differs from the result for all others, or if that result is unknown.
  const isRepeated = (mark: string | AssignedMark, actor: Actor) =>
    mark === (typeof other === "string" ? `${name}:${actor}` : `${name}:!${actor}`);
  const actorMarks = [...actors].flatMap((actor) => {
    const marks = markFor(actor, `${name}:${actor}`, `${name}:!${actor}`);
    return typeof other === "object" ? marks : marks.filter((mark) => !isRepeated(mark, actor));
  });
  return [...actorMarks, ...others];
}

const keyMark = (key: string, fingerprint: string) => `${key}=${fingerprint}`;

/** Returns the start of the JSON of a view's key mark. Marks without it contain no information about the view. */
export const keyMarkStart = (key: string): string => `"${keyMark(key, "")}`;

/** Whether an item was in a view before and after a change. */
export interface Matched {
  before: boolean;
  after: boolean;
}

const parseMarks = (marks: string | null) =>
  marks === null ? [] : (JSON.parse(marks) as string[]);

/** The marks of one phase that show whether the item matched the view for an actor. */
export interface PhaseMarks {
  /** The item matched for every actor, or for this actor. */
  positive: readonly [string, string];
  /** The item matched for all actors that it does not name. */
  others: string;
  /** The item names this actor and did not match for it. */
  negative: string;
}

/** Returns the marks that show whether the item matched for an actor, before and after a change. */
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

/** Reads the marks for the view that had this key at the time of the change, whatever it means now. */
export function readMarksOfKey(marks: string | null, key: string, actor: Actor): Matched {
  const start = keyMark(key, "");
  const mark = parseMarks(marks).find((each) => each.startsWith(start));
  if (mark === undefined) return { before: false, after: false };
  return readMarks(marks, mark.slice(start.length), actor);
}
