import type { FieldSet } from "#domain/definition/field.ts";
import { itemNumberRange, sequencesPerCollection } from "#domain/item/item.ts";
import { matchPerson, matchWord, parsePersonText } from "#domain/item/person-match.ts";
import { problem } from "#domain/problem/problem.ts";
import { loadAllItemsInRange } from "#store/data/item-ranges.ts";
import {
  findNumberedItems,
  loadFormerValues,
  nextCollectionId,
  type NumberedItem,
} from "#store/data/person-scan.ts";
import type { Databases } from "#store/db/database.ts";
import {
  deletePersonSearch,
  findPersonSearch,
  listPersonSearches,
  maxPersonSearches,
  nextPersonSearch,
  storePersonProgress,
  storePersonSearch,
  type PersonHit,
  type PersonPosition,
  type PersonProgress,
  type PersonSearch,
} from "#store/home/person-searches.ts";
import { loadReach } from "#store/home/placements.ts";
import { auditRecord, type ActionContext, type BackgroundContext } from "./context.ts";

/**
 * Searches for the data of a person: an email address or a name in all values of all apps and forms, and in their
 * history. A search runs in the background, one collection at a time, so that it misses nothing when a collection moves
 * to another database.
 */

const keptMs = 7 * 24 * 60 * 60 * 1000;

/** Starts a search. The audit log contains only its ID, so that the text is gone when the search is erased. */
export async function startPersonSearch(ctx: ActionContext, sent: string): Promise<PersonSearch> {
  const createdAt = ctx.now();
  const search: PersonSearch = {
    id: ctx.newId(),
    text: parsePersonText(sent),
    actor: ctx.actor,
    createdAt,
    expiresAt: createdAt + keptMs,
    state: "running",
    // The search starts at the first collection.
    collectionId: 0,
    part: "changes",
    after: 0,
    searched: 0,
    found: 0,
  };
  const entry = auditRecord(ctx, "person.search", `search:${search.id}`);
  if (!(await storePersonSearch(ctx.databases.home, search, entry)))
    throw problem.conflict(
      `${maxPersonSearches} searches are kept. Delete one first.`,
      "too_many_searches",
    );
  continueLater(ctx);
  return search;
}

function continueLater(ctx: ActionContext): void {
  ctx.runAfterResponse(() => runPersonSearches({ databases: ctx.primary, now: () => ctx.now() }));
}

export const listSearches = (ctx: ActionContext): Promise<PersonSearch[]> =>
  listPersonSearches(ctx.databases.home, ctx.now());

/** An item that matches a search. */
export interface FoundItem extends PersonHit {
  /** Undefined if the item was deleted after the search. */
  found: NumberedItem | undefined;
  /** The labels of the fields whose current values match. */
  labels: string[];
}

const pageSize = 100;

/** Loads a search with one page of its results. Viewing a search also continues it. */
export async function getPersonSearch(
  ctx: ActionContext,
  id: string,
  after: number,
): Promise<{ search: PersonSearch; items: FoundItem[]; next: number | null }> {
  const { home } = ctx.databases;
  const range = { now: ctx.now(), after, limit: pageSize + 1 };
  const loaded = await findPersonSearch(home, id, range);
  if (!loaded) throw problem.notFound();
  const { search, hits } = loaded;
  if (search.state === "running") continueLater(ctx);
  const page = hits.slice(0, pageSize);
  const items = await loadFound(ctx.databases, page, search.text);
  return { search, items, next: hits.length > pageSize ? (page.at(-1)?.item ?? null) : null };
}

const collectionOf = (number: number) => Math.floor(number / sequencesPerCollection);

async function loadFound(
  databases: Databases,
  hits: readonly PersonHit[],
  text: string,
): Promise<FoundItem[]> {
  const groups = Map.groupBy(hits, ({ item }) => collectionOf(item));
  const contains = matchWord(text);
  const found = await Promise.all(
    Array.from(groups, async ([id, group]): Promise<FoundItem[]> => {
      const numbers = group.map(({ item }) => item);
      const { items, fields } = await findNumberedItems(databases.of({ id }), numbers);
      return group.map((hit) => {
        const item = items.find(({ number }) => number === hit.item);
        const labels = item?.data ? matchingLabels(fields, item.data, contains) : [];
        return { ...hit, found: item, labels };
      });
    }),
  );
  return found.flat();
}

/** Returns the labels of the fields that contain a word of the text. Includes former fields. */
function matchingLabels(
  { fields, retired }: FieldSet,
  data: string,
  contains: ReturnType<typeof matchWord>,
): string[] {
  const values = JSON.parse(data) as Record<string, unknown>;
  return [...fields, ...retired]
    .filter(({ id }) => contains({ value: values[id] }))
    .map(({ label }) => label);
}

/** Erases a search with its text and its results. */
export const forgetPersonSearch = (ctx: ActionContext, id: string): Promise<void> =>
  deletePersonSearch(ctx.databases.home, id);

/**
 * The maximum number of steps of one run. A step takes 1 query. The end of a collection takes one for each database.
 */
const stepsPerRun = 60;
/** The number of steps after which the progress is stored. A killed run repeats at most these. */
const stepsPerStore = 10;
/** The limits of one step. */
const stepLimits = { items: 500, bytes: 2_000_000 };

/** Continues the searches in bounded steps. The next run continues after the last stored step. */
export async function runPersonSearches({
  databases,
  now,
}: Pick<BackgroundContext, "databases" | "now">): Promise<void> {
  const { home } = databases;
  for (let stores = 0; stores < stepsPerRun / stepsPerStore; stores += 1) {
    const search = await nextPersonSearch(home, now());
    if (!search) return;
    // A search visits each app and form once, so it waits until all databases are bound.
    if ((await loadReach(databases)).missing.length > 0) return;
    const matches = matchPerson(search.text);
    let progress: PersonProgress = { position: search, hits: [], searched: 0, isDone: false };
    for (let steps = 0; steps < stepsPerStore && !progress.isDone; steps += 1)
      progress = await takeStep(databases, progress, matches);
    if (!(await storePersonProgress(home, search, progress))) return;
  }
}

type Matches = ReturnType<typeof matchPerson>;

async function takeStep(
  databases: Databases,
  progress: PersonProgress,
  matches: Matches,
): Promise<PersonProgress> {
  const { position } = progress;
  const { collectionId, part } = position;
  const step = collectionId > 0 ? await readStep(databases, position, matches) : undefined;
  if (step) {
    const hits = [...progress.hits, ...step.hits];
    const searched = progress.searched + step.items;
    return { ...progress, position: { ...position, after: step.last }, hits, searched };
  }
  const next = part === "items" ? collectionId : await nextCollectionId(databases, collectionId);
  if (next === undefined) return { ...progress, isDone: true };
  const { above } = itemNumberRange(next);
  const nextPart = part === "items" ? "changes" : "items";
  return { ...progress, position: { collectionId: next, part: nextPart, after: above } };
}

interface ReadStep {
  last: number;
  hits: PersonHit[];
  items: number;
}

/** Reads the next items or changes. Returns undefined at the end. */
async function readStep(
  databases: Databases,
  { collectionId, part, after }: PersonPosition,
  matches: Matches,
): Promise<ReadStep | undefined> {
  const db = databases.of({ id: collectionId });
  if (part === "items") {
    const range = { next: after + 1, last: itemNumberRange(collectionId).below - 1 };
    const { items: limit, bytes: maxBytes } = stepLimits;
    const items = await loadAllItemsInRange(db, range, { limit, maxBytes });
    const last = items.at(-1)?.number;
    const found = items.filter(({ data }) => matches(data));
    const hits = found.map(({ number }) => ({ item: number, former: 0 }));
    return last === undefined ? undefined : { last, hits, items: items.length };
  }
  const changes = await loadFormerValues(db, after, stepLimits);
  const last = changes.at(-1)?.number;
  const found = changes.filter(
    ({ former }) => former !== null && matches(JSON.parse(former) as Record<string, unknown>),
  );
  const hits = found.map(({ item }) => ({ item, former: 1 }));
  return last === undefined ? undefined : { last, hits, items: 0 };
}
