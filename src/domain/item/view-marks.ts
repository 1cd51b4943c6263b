import type { Actor } from "#domain/audit.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { recalculate } from "#domain/formula/recalculate.ts";
import { lazy } from "#domain/lazy.ts";
import type { Item } from "./item.ts";
import type { Collection, View } from "#domain/definition/collection.ts";
import type { SystemField } from "#domain/data/values.ts";
import { reduceCondition, type MatchedItem } from "#domain/search/matches.ts";
import type { Condition } from "#domain/search/tree.ts";
import { dependsOnCaller, parseView, viewFingerprint } from "#domain/search/view.ts";

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
  conditionsFor: (actor: string) => readonly Condition[];
}

const markedViews = new WeakMap<Collection, readonly MarkedView[]>();

function viewsOf(collection: Collection): readonly MarkedView[] {
  const cachedViews = markedViews.get(collection);
  if (cachedViews) return cachedViews;
  const views = (collection.definition.views ?? []).map((view): MarkedView => {
    const isPersonal = dependsOnCaller(view);
    const { conditions } = parseView(collection, view, anyoneElse);
    const { lackedResults, conditions: version = 0 } = collection.viewVersions?.[view.key] ?? {};
    return {
      key: view.key,
      fingerprint: viewFingerprint(collection, view),
      isPersonal,
      resultsVersion: lackedResults ? version : 0,
      conditionsFor: isPersonal ? conditionsByActor(collection, view) : () => conditions,
    };
  });
  markedViews.set(collection, views);
  return views;
}

/** The number of actors for which the conditions of a view are cached. */
const maxActors = 10;

function conditionsByActor(collection: Collection, view: View): MarkedView["conditionsFor"] {
  const known = new Map<string, readonly Condition[]>();
  return (actor) => {
    const conditions = known.get(actor) ?? parseView(collection, view, actor).conditions;
    if (known.size >= maxActors) known.clear();
    known.set(actor, conditions);
    return conditions;
  };
}

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

const assignedValues: ReadonlySet<SystemField> = new Set([
  "receiptNumber",
  "createdAt",
  "updatedAt",
]);

/** Returns the marks of a change of a stored item. All of them are known. */
export const viewMarks = (
  compiled: CompiledCollection,
  before: Item | null,
  after: Item | null,
): ChangeMarks => changeMarks(compiled, before, after, new Set());

/** Returns the marks of a change of an item that the batch of the change creates. */
export const newItemMarks = (
  compiled: CompiledCollection,
  before: Item | null,
  after: MatchedItem,
): ChangeMarks => changeMarks(compiled, before, after, assignedValues);

function changeMarks(
  compiled: CompiledCollection,
  before: Item | null,
  after: MatchedItem | null,
  unknown: ReadonlySet<SystemField>,
): ChangeMarks {
  const views = viewsOf(compiled.collection);
  if (views.length === 0) return { known: null, assigned: [] };
  const actors = new Set<Actor>(
    [before, after].flatMap((item) => (item ? [item.createdBy, item.updatedBy] : [])),
  );
  const assigned: AssignedMark[] = [];
  const former = formerItem(compiled, before);
  const known = views.flatMap((view) => {
    const marks = [
      ...marksOf(view, "b", former(view), actors, unknown),
      ...marksOf(view, "a", after, actors, unknown),
    ];
    const key = keyMark(view.key, view.fingerprint);
    const open = marks.filter((mark) => typeof mark !== "string");
    assigned.push(...open.map((mark) => ({ ...mark, positive: [key, ...mark.positive] })));
    const knownMarks = marks.filter((mark) => typeof mark === "string");
    return knownMarks.length > 0 ? [key, ...knownMarks] : [];
  });
  return { known: JSON.stringify([...new Set(known)]), assigned };
}

/**
 * Returns the item before a change, in the form in which a view saw it. If the item may lack results that the view
 * uses, computes them with the current formulas, so that no mark claims that the view contained an item which it never
 * did.
 */
function formerItem(compiled: CompiledCollection, item: Item | null) {
  if (!item) return () => null;
  const calculated = lazy(() => ({
    ...item,
    data: recalculate(compiled, item.data, item.updatedAt).after,
  }));
  return ({ resultsVersion }: MarkedView): Item =>
    item.definitionVersion < resultsVersion ? calculated() : item;
}

function marksOf(
  { fingerprint, isPersonal, conditionsFor }: MarkedView,
  phase: Phase,
  item: MatchedItem | null,
  actors: ReadonlySet<Actor>,
  unknown: ReadonlySet<SystemField>,
): (string | AssignedMark)[] {
  if (!item) return [];
  const name = `${fingerprint}:${phase}`;
  const markFor = (
    actor: string,
    positive: string,
    negative: string | null,
  ): (string | AssignedMark)[] => {
    const condition = reduceCondition({ all: [...conditionsFor(actor)] }, item, unknown);
    if (typeof condition !== "boolean") return [{ condition, positive: [positive], negative }];
    const mark = condition ? positive : negative;
    return mark === null ? [] : [mark];
  };
  if (!isPersonal) return markFor(anyoneElse, name, null);
  const actorMarks = [...actors].flatMap((actor) =>
    markFor(actor, `${name}:${actor}`, `${name}:!${actor}`),
  );
  return [...actorMarks, ...markFor(anyoneElse, `${name}:${anyoneElse}`, null)];
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
