import { roleAllows } from "#domain/credential/permissions.ts";
import { loadNames, type FoundNames, type NamedCollection } from "#store/home/find.ts";
import { matchRanks, maxScannedValues, type FoundItem } from "#store/home/find-items.ts";
import { foldCase } from "#domain/data/index-entries.ts";
import { searchWords, typedForms } from "#domain/search/text.ts";
import type { MemberContext } from "./members.ts";

export { maxScannedValues };

/** The maximum length of a text. The rest is ignored, because no name is longer. */
export const maxTextLength = 300;
/** The maximum number of results of each kind. */
const maxResults = 10;

interface FoundView {
  kind: NamedCollection["kind"];
  collection: NamedCollection;
  key: string;
  name: string;
}

/** An item with the field in which the text was found. */
export interface RankedItem extends FoundItem {
  rank: number;
  /** The label of the field. Null for an ID, a receipt number, or words in several values. */
  label: string | null;
  value: string | null;
  /** Whether the text equals the title, the ID or the receipt number of the item. */
  isNamedByText: boolean;
}

interface FoundThings extends Omit<FoundNames, "items"> {
  /** The best matches first. */
  items: RankedItem[];
  views: FoundView[];
  allCollections: NamedCollection[];
}

/** Finds what a member may see by a text: names that contain its words, and items by ID, receipt number or value. */
export async function findByName(
  { databases, member: { id, role } }: Pick<MemberContext, "databases" | "member">,
  text: string,
): Promise<FoundThings> {
  const scope = {
    credentialsOf: roleAllows(role, "credentials") ? null : id,
    members: roleAllows(role, "members"),
    webhooks: roleAllows(role, "webhooks"),
  };
  const names = await loadNames(databases, scope, text);
  const words = foldWords(text);
  return {
    items: rankItems(names.items, text),
    views: findViews(names.collections, words).slice(0, maxResults),
    allCollections: names.collections,
    collections: names.collections.filter(({ name, key }) =>
      containsWords(`${name} ${key}`, words),
    ),
    credentials: matching(names.credentials, text, words),
    webhooks: matching(names.webhooks, text, words),
    members: names.members
      .filter(({ name, email }) => containsWords(`${name} ${email}`, words))
      .slice(0, maxResults),
  };
}

const matching = <Thing extends { id: string; name: string }>(
  things: readonly Thing[],
  text: string,
  words: readonly string[],
): Thing[] =>
  things.filter(({ id, name }) => id === text || containsWords(name, words)).slice(0, maxResults);

/**
 * Finds the views whose name, or name and collection together, contain the words. The collection's name alone is not
 * enough.
 */
function findViews(collections: readonly NamedCollection[], words: readonly string[]): FoundView[] {
  return collections.flatMap((collection) => {
    const views = JSON.parse(collection.views) as { key: string; name: string }[];
    return views
      .filter(
        ({ name }) =>
          containsWords(`${name} ${collection.name}`, words) &&
          !containsWords(collection.name, words),
      )
      .map((view) => ({ ...view, kind: collection.kind, collection }));
  });
}

/** A text and its words in all forms that people may have typed, folded once for all items. */
interface FoldedText {
  forms: readonly string[];
  words: readonly (readonly string[])[];
}

/**
 * Returns how well a text matches the title of an item, from 4 if it equals the title to 0 if it does not occur in it.
 */
function titleScore(title: string | null, { forms, words }: FoldedText): number {
  if (title === null) return 0;
  const folded = foldCase(title);
  if (forms.includes(folded)) return 4;
  if (forms.some((form) => folded.startsWith(form))) return 3;
  const isIn = (matches: (form: string) => boolean) => words.every((word) => word.some(matches));
  if (isIn((form) => folded.split(/\s+/u).some((word) => word.startsWith(form)))) return 2;
  return isIn((form) => folded.includes(form)) ? 1 : 0;
}

/** Sorts by title match first. The record of a person or thing then precedes items that only mention its name. */
function rankItems(items: readonly FoundItem[], text: string): RankedItem[] {
  const folded = { forms: typedForms(text).map(foldCase), words: searchWords(text) };
  return items
    .map((item) => {
      const rank = Number(item.best.slice(0, 1));
      const [label, value] = JSON.parse(item.best.slice(1)) as [string | null, string | null];
      const title = titleScore(item.title, folded);
      const isName = rank >= matchRanks.idEnd;
      const order = [
        isName ? rank : 0,
        title === 4 ? 1 : 0,
        title > 0 ? item.isNamed : 0,
        title,
        rank,
        item.status === "closed" ? 0 : 1,
        item.createdAt,
      ];
      return { ...item, rank, label, value, isNamedByText: isName || title === 4, order };
    })
    .toSorted((one, other) => compareOrders(other.order, one.order))
    .slice(0, maxResults);
}

function compareOrders(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index === -1 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

const fold = (text: string) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Returns the words of a text without case and accents. Empty for a text that contains only marks. */
export const foldWords = (text: string): string[] =>
  fold(text)
    .split(/\s+/)
    .filter((word) => word !== "");

/** Whether a name contains each of the folded words, in any order, without regard to case and accents. */
export function containsWords(name: string, words: readonly string[]): boolean {
  const folded = fold(name);
  return words.length > 0 && words.every((word) => folded.includes(word));
}

/** Whether each of the folded words starts a word of the name. */
export function startsWords(name: string, starts: readonly string[]): boolean {
  const words = foldWords(name);
  return starts.length > 0 && starts.every((start) => words.some((word) => word.startsWith(start)));
}
