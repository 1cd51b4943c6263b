import { roleAllows } from "#domain/credential/permissions.ts";
import { loadNames, type FoundNames, type NamedCollection } from "#store/home/find.ts";
import { maxScannedValues } from "#store/home/find-items.ts";
import type { MemberContext } from "./members.ts";

export { maxScannedValues };

/** Longer texts find nothing, because no name is longer. */
const maxTextLength = 300;
/** The results of each kind. */
const maxResults = 10;

/** What a member may see and finds by a text: names that contain its words, and items by ID, receipt number or value. */
export async function findByName(
  { databases, member: { id, role } }: Pick<MemberContext, "databases" | "member">,
  text: string,
): Promise<FoundNames & { allCollections: NamedCollection[] }> {
  const scope = {
    credentialsOf: roleAllows(role, "credentials") ? null : id,
    members: roleAllows(role, "members"),
    webhooks: roleAllows(role, "webhooks"),
  };
  const names = await loadNames(databases, scope, text.slice(0, maxTextLength));
  return {
    items: names.items,
    allCollections: names.collections,
    collections: names.collections.filter(({ name, key }) => containsWords(`${name} ${key}`, text)),
    credentials: matching(names.credentials, text),
    webhooks: matching(names.webhooks, text),
    members: names.members
      .filter(({ name, email }) => containsWords(`${name} ${email}`, text))
      .slice(0, maxResults),
  };
}

const matching = <Thing extends { id: string; name: string }>(
  things: readonly Thing[],
  text: string,
): Thing[] =>
  things.filter(({ id, name }) => id === text || containsWords(name, text)).slice(0, maxResults);

const fold = (text: string) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Whether a name contains each word of a text, in any order, without regard to case and accents. */
function containsWords(name: string, text: string): boolean {
  const folded = fold(name);
  return wordsOf(text).every((word) => folded.includes(word));
}

/** Whether each word of a text starts a word of the name. */
export function startsWords(name: string, text: string): boolean {
  const words = wordsOf(name);
  return wordsOf(text).every((start) => words.some((word) => word.startsWith(start)));
}

const wordsOf = (text: string) => fold(text).split(/\s+/);
