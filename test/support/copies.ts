import { dataDb } from "./databases";

/**
 * Copies an item with SQL, without search entries, because creating thousands of items takes long. In texts that
 * contain `#`, each copy has its own number, starting at 1.
 */
export async function copyItem(id: string, count: number): Promise<void> {
  await dataDb.batch([
    dataDb
      .prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
        insert into item select number + i, id || 'Z' || i, collection_id, receipt_number, status, version,
        definition_version, created_at + i, created_by, updated_at + i, updated_by,
        replace(data, '#', i), null
        from item, n where id = ?1`,
      )
      .bind(id, count),
    dataDb
      .prepare(
        `update tally set last_place = last_place + ?2, live = live + ?2
        where collection_id = (select collection_id from item where id = ?1)`,
      )
      .bind(id, count),
  ]);
}

/** Copies the search entries of an item with SQL and gives them their own values. The copies belong to no item. */
export async function copyEntries(id: string, count: number): Promise<void> {
  await dataDb
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
      insert into search_entry select e.field, e.value || ' ' || n.i, e.item + n.i, null
      from item cross join search_entry e on e.item = item.number, n
      where item.id = ?1 and typeof(e.value) = 'text'`,
    )
    .bind(id, count)
    .run();
}
