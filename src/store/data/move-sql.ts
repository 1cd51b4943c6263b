/**
 * SQL of data databases for the collections that move together, and for the conditions that delay a move. `npm run
 * databases` also runs it, so this file must not import code that needs the Worker.
 */

/** A collection of a database. Deleted collections are included. */
export interface StoredCollection {
  id: number;
  kind: "app" | "form";
  key: string;
  name: string;
  location: string | null;
  itemCount: number;
}

export const selectStored = `select abs(c.id) as id, c.kind, ltrim(c.key, '~') as key, c.name, c.location,
    coalesce(t.live, 0) as itemCount
  from collection c left join tally t on t.collection_id = abs(c.id)`;

/** Selects each collection with each app that it refers to. */
export const selectLinks = `select distinct id, app from (
    select abs(c.id) as id, coalesce(f.value ->> 'app', r.value ->> 'app') as app
      from collection c cross join json_each(c.fields, '$.fields') f
        left join json_each(f.value, '$.fields') r
      where instr(c.fields, '"type":"reference"') > 0)
  where app is not null`;

export interface Link {
  id: number;
  app: string;
}

/** Returns the location in which a group must stay. Linked collections share a database, so they share its location. */
export const locationOf = (group: readonly Pick<StoredCollection, "location">[]): string | null =>
  group.find(({ location }) => location !== null)?.location ?? null;

/** Returns the collections that links connect with this one, ordered by id. */
export function groupOf(
  id: number,
  collections: readonly StoredCollection[],
  links: readonly Link[],
): StoredCollection[] {
  const idOfApp = new Map(
    collections.flatMap(({ id: appId, kind, key }) =>
      kind === "app" ? [[key, appId] as const] : [],
    ),
  );
  const linkedIds = new Map<number, number[]>();
  const connect = (from: number, to: number) =>
    linkedIds.set(from, [...(linkedIds.get(from) ?? []), to]);
  for (const { id: from, app } of links) {
    const to = idOfApp.get(app);
    if (to === undefined) continue;
    connect(from, to);
    connect(to, from);
  }
  const access = new Set<number>();
  const next = [id];
  for (let each = next.pop(); each !== undefined; each = next.pop()) {
    if (access.has(each)) continue;
    access.add(each);
    next.push(...(linkedIds.get(each) ?? []));
  }
  return collections
    .filter((each) => access.has(each.id))
    .toSorted((first, second) => first.id - second.id);
}

export type Ids = readonly { id: number }[];

export const idsOf = (collections: Ids) => `(${collections.map(({ id }) => id).join(", ")})`;

/** SQL for whether a change of a definition waits until all items are checked. */
export const hasPending = (collections: Ids): string =>
  `exists (select 1 from pending_change where collection_id in ${idsOf(collections)} and problem is null)`;

/** SQL for whether the database is repairing rows of any collection, after an upgrade or a restore. */
export const hasRepairs =
  "(exists (select 1 from refolding) or exists (select 1 from owed_erasure))";
