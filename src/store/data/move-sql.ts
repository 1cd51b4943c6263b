/**
 * What moves together, and what delays a move, as SQL of a data database. `npm run databases` runs it too, so this file
 * needs nothing of the Worker.
 */

/** A collection of a database, deleted ones included. */
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

/** Each collection with an app to which it refers. */
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

/** The location in which a group must stay. Linked collections share a database, and so its location. */
export const locationOf = (group: readonly Pick<StoredCollection, "location">[]): string | null =>
  group.find(({ location }) => location !== null)?.location ?? null;

/** The collections that are connected by links, in the order of their ids. */
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

/** Whether a change of a definition waits until all items are checked, as SQL. */
export const hasPending = (collections: Ids): string =>
  `exists (select 1 from pending_change where collection_id in ${idsOf(collections)} and problem is null)`;

/** Whether the database repairs rows of any collection, after an upgrade or a restore, as SQL. */
export const hasRepairs =
  "(exists (select 1 from refolding) or exists (select 1 from owed_erasure))";
