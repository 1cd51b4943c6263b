import { sql, type SQL } from "drizzle-orm";
import { type HomeDatabase } from "#store/db/database.ts";
import { runOnce } from "#store/db/retry.ts";
import { columnChoice, member, savedFilter } from "#store/db/schema.ts";
import { homeStatement, pick } from "#store/db/statement.ts";

/** A filter that a member saved for one list. */
export interface SavedFilter {
  id: string;
  name: string;
  /** The query string of the list. */
  search: string;
}

/** The settings that a member saved for one list. */
export interface ListSettings {
  filters: SavedFilter[];
  /** The keys of the chosen columns. Null for the default columns. */
  columns: string[] | null;
}

/** The settings of the selected member for a list like `form:purchase`, as JSON. */
export const listSettingsSql = (list: string): SQL<string> => sql`json_object(
  'filters', (select json_group_array(json_object('id', id, 'name', name, 'search', search)) from
    (select id, name, search from saved_filter where member_id = ${member.id} and list = ${list} order by id)),
  'columns', (select json(columns) from column_choice where member_id = ${member.id} and list = ${list}))`;

export type ListOfMember = { memberId: string; list: string };
type FilterRow = typeof savedFilter.$inferSelect;

const insertFilter = homeStatement<FilterRow & { most: number }>((db, v) =>
  db
    .insert(savedFilter)
    .select(
      sql`select ${v.memberId}, ${v.list}, ${v.id}, ${v.name}, ${v.search}
        where (select count(*) from saved_filter where member_id = ${v.memberId}) < ${v.most}`,
    )
    .onConflictDoNothing(),
);

/** Stores a filter. Returns false and stores nothing when the member already has `most` filters. */
export async function storeFilter(
  db: HomeDatabase,
  filter: FilterRow,
  most: number,
): Promise<boolean> {
  const [result] = await runOnce(db, () => db.batch([insertFilter(db, { ...filter, most })]));
  return (result?.meta.changes ?? 0) > 0;
}

const changeFilter = homeStatement<
  ListOfMember & { id: string; name: string | null; search: string | null }
>((db, v) =>
  db
    .update(savedFilter)
    .set({ name: sql`coalesce(${v.name}, name)`, search: sql`coalesce(${v.search}, search)` })
    .where(sql`member_id = ${v.memberId} and list = ${v.list} and id = ${v.id}`)
    .returning({ id: savedFilter.id, name: savedFilter.name, search: savedFilter.search }),
);

/** Replaces the name and the search that are not null. Returns undefined when the member has no such filter. */
export async function updateFilter(
  db: HomeDatabase,
  filter: ListOfMember & { id: string; name: string | null; search: string | null },
): Promise<SavedFilter | undefined> {
  const [result] = await runOnce(db, () => db.batch<SavedFilter>([changeFilter(db, filter)]));
  return result?.results[0];
}

const removeFilter = homeStatement<ListOfMember & { id: string }>((db, v) =>
  db
    .delete(savedFilter)
    .where(sql`member_id = ${v.memberId} and list = ${v.list} and id = ${v.id}`),
);

/** Returns false when the member has no such filter. */
export async function deleteFilter(
  db: HomeDatabase,
  filter: ListOfMember & { id: string },
): Promise<boolean> {
  const [result] = await runOnce(db, () => db.batch([removeFilter(db, filter)]));
  return (result?.meta.changes ?? 0) > 0;
}

const upsertColumns = homeStatement<typeof columnChoice.$inferSelect>((db, v) =>
  db
    .insert(columnChoice)
    .values(pick(v, ["memberId", "list", "columns", "at"]))
    .onConflictDoUpdate({
      target: [columnChoice.memberId, columnChoice.list],
      set: { columns: sql`excluded.columns`, at: sql`excluded.at` },
    }),
);

const deleteOldColumns = homeStatement<{ memberId: string; most: number }>((db, v) =>
  db.delete(columnChoice).where(
    sql`member_id = ${v.memberId} and list not in (
        select list from column_choice where member_id = ${v.memberId} order by at desc limit ${v.most})`,
  ),
);

/** Stores the chosen columns of a list. Keeps the choices of the `most` lists that the member changed last. */
export async function storeColumns(
  db: HomeDatabase,
  choice: ListOfMember & { columns: readonly string[]; at: number },
  most: number,
): Promise<void> {
  const columns = JSON.stringify(choice.columns);
  const { memberId } = choice;
  await runOnce(db, () =>
    db.batch([upsertColumns(db, { ...choice, columns }), deleteOldColumns(db, { memberId, most })]),
  );
}
