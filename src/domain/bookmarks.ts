/**
 * A bookmark identifies a version of one database. A credential that wrote to several databases has one bookmark for
 * each, as `NAME/bookmark` separated by commas. The bookmark of the home database has no name.
 */
export type Bookmarks = ReadonlyMap<string, string>;

/** The binding name of the home database. */
export const homeName = "DB";

export function parseBookmarks(text: string | null): Bookmarks {
  if (text === null || text === "") return new Map();
  return new Map(
    text.split(",").map((entry): [string, string] => {
      const slash = entry.indexOf("/");
      return slash < 0 ? [homeName, entry] : [entry.slice(0, slash), entry.slice(slash + 1)];
    }),
  );
}

/** Formats the bookmarks. Returns null if there are none. */
export function formatBookmarks(bookmarks: Bookmarks): string | null {
  if (bookmarks.size === 0) return null;
  return Array.from(bookmarks)
    .map(([name, bookmark]) => (name === homeName ? bookmark : `${name}/${bookmark}`))
    .toSorted()
    .join();
}

/** Keeps the newest bookmark of each database. Bookmarks sort as text. */
export function mergeBookmarks(first: string | null, second: string | null): string | null {
  if (first === null || second === null) return first ?? second;
  const newest = new Map(parseBookmarks(first));
  for (const [name, bookmark] of parseBookmarks(second))
    if (bookmark > (newest.get(name) ?? "")) newest.set(name, bookmark);
  return formatBookmarks(newest);
}
