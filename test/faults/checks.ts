import { fieldsPerCollection, systemFieldIds } from "../../src/domain/data/values.ts";
import { sequencesPerCollection } from "../../src/domain/item/item.ts";

/**
 * Invariants of the tables that must hold after every failure. Each select returns rows that violate one. They cover
 * collections of text, numbers, selects and lists of one file, whose items and index entries store the same values.
 */

/** Live fields with one value, with their number in the index. */
const fields = `(select c.id collection_id, c.id * ${fieldsPerCollection} + (f.value ->> 'id') number,
    c.id * ${fieldsPerCollection} + (f.value ->> 'uniqueId') unique_number, cast(f.value ->> 'id' as text) slot,
    coalesce(f.value ->> 'searchable', 0) searchable, coalesce(f.value ->> 'unique', 0) is_unique
  from collection c, json_each(c.fields, '$.fields') f)`;

/** The values of items in those fields. */
const values = `(select i.number item, i.status, f.number field, f.unique_number, f.searchable, f.is_unique,
    iif(v.type = 'array', v.value ->> '$[0].id', v.value) value
  from item i join ${fields} f on f.collection_id = i.collection_id
    join json_each(i.data) v on v.key = f.slot
  where v.value is not null)`;

/** Counts the audit entries of each subject, and its changes when `changes` selects them. */
const countsWith = (
  changes: string,
) => `(select subject, count(*) acts, count(distinct version) versions,
    sum(action in ('record.create', 'submission.create')) created, sum(action like '%.delete') deleted,
    sum(action like '%.erase') erased, sum(action like '%.restore') restored,
    sum(action in ('definition.create', 'definition.change')) defined, sum(action = 'credential.issue') issued
  from (select subject, version, action from audit_entry${changes}) group by subject)`;
const changeCounts = countsWith(
  " union all select item_id, version, coalesce(audit_action, action) from change",
);

/** Entries may be missing while indexing runs. */
const notIndexing = "not exists (select 1 from indexing x where x.collection_id = i.collection_id)";

const systemValues = (name: keyof typeof systemFieldIds, value: string) =>
  `select number item, collection_id * ${fieldsPerCollection} + ${systemFieldIds[name]} field, ${value} value
    from item where ${value} is not null`;

/** The system values of items that the index holds. */
const allSystemValues = `(${[
  systemValues("status", "status"),
  systemValues("updatedAt", "updated_at"),
].join(" union all ")})`;

/** The files that items name. */
const namedFiles = `(select i.number item, f.value ->> 'id' id from item i, json_each(i.data) v, json_each(v.value) f
  where v.type = 'array' and f.type = 'object' and f.value ->> 'sha256' is not null)`;

export const dataChecks = [
  `select 'a file of an item without its row' what, n.id from ${namedFiles} n left join file f on f.id = n.id
    where f.item is not n.item or f.content_type is null or f.remove_at is not null or f.detached is not null`,
  `select 'an attached file that its item does not name' what, f.id from file f
    where f.item is not null and f.remove_at is null and f.detached is null
      and not exists (select 1 from ${namedFiles} n where n.id = f.id and n.item = f.item)`,
  `select 'an item without the entries of its system fields' what, s.item id from ${allSystemValues} s
    where not exists (select 1 from search_entry e where e.field = s.field and e.value = s.value and e.item = s.item)`,
  `select 'an item with extra entries of its system fields' what, e.item id from search_entry e
    where e.field % ${fieldsPerCollection} > ${systemFieldIds.id - 1} group by e.item having count(*) <>
      (select 1 + (i.status is not null) from item i where i.number = e.item)`,
  `select 'a value without its search entry' what, i.id from item i join ${values} v on v.item = i.number
    where v.searchable and ${notIndexing} and not exists
      (select 1 from search_entry e where e.field = v.field and e.value = v.value and e.item = v.item)`,
  `select 'a search entry without its value' what, e.item id from search_entry e
      join ${fields} f on f.number = e.field and f.searchable
    where not exists (select 1 from ${values} v where v.item = e.item and v.field = e.field and v.value = e.value)`,
  `select 'a search entry without its item' what, e.item id from search_entry e
    where not exists (select 1 from item where number = e.item)`,
  `select 'a unique value without its reservation' what, v.item id from ${values} v
    where v.is_unique and v.status is not 'draft' and not exists
      (select 1 from unique_value u where u.field = v.unique_number and u.value = v.value and u.item = v.item)`,
  `select 'a reserved value that no item has' what, u.item id from unique_value u
      join ${fields} f on f.unique_number = u.field and f.is_unique
    where not exists (select 1 from ${values} v
      where v.item = u.item and v.unique_number = u.field and v.value = u.value and v.status is not 'draft')`,
  `select 'a reserved value without its item' what, u.item id from unique_value u
    where not exists (select 1 from item where number = u.item)`,
  `select 'a collection without its tally' what, c.key id from collection c
    where not exists (select 1 from tally where collection_id = abs(c.id))`,
  `select 'a hidden collection without its deletion, or the other way round' what, c.key id from collection c
    where (c.id < 0) <> exists (select 1 from deletion d where d.collection_id = abs(c.id))`,
  `select 'a tally that counts other items' what, t.collection_id id from tally t
    left join (select collection_id, count(*) n from item group by collection_id) i using (collection_id)
    where t.live <> coalesce(i.n, 0)`,
  `select 'an item beyond its tally' what, i.id from item i join tally t on t.collection_id = i.collection_id
    where i.number - i.collection_id * ${sequencesPerCollection} not between 1 and t.last_place
      or i.created_at > t.last_created_at`,
  `select 'a gap in the receipt numbers' what, c.key id from collection c join tally t on t.collection_id = c.id
    left join (select collection_id, count(*) n from item group by collection_id) i using (collection_id)
    where c.kind = 'app' and t.last_place <> coalesce(i.n, 0) + (select count(distinct x.item) from change x
      where x.action = 'record.erase' and x.item / ${sequencesPerCollection} = c.id
        and not exists (select 1 from item where number = x.item))`,
  `select 'a wrong receipt number' what, i.id from item i join collection c on c.id = i.collection_id
    where i.receipt_number is not case c.kind when 'app' then
      c.receipt_prefix || printf('%06d', i.number - c.id * ${sequencesPerCollection}) end`,
  `select 'an item with missing or repeated changes' what, i.id from item i
    left join ${changeCounts} a on a.subject = i.id where a.acts - a.deleted is not i.version or a.versions is not i.version`,
  `select 'an item that does not point to its last change' what, i.id from item i
    left join change c on c.number = i.last_change
    where c.item is not i.number or c.version is not i.version`,
  `select 'a change that does not point to the previous one' what, c.item_id id from change c
    left join change b on b.number = c.previous
    where c.action not like '%.create' and (b.item is not c.item or b.version is not c.version - (c.action not like '%.delete' and c.action not like '%.erase'))`,
  `select 'former values of a deleted item' what, c.item_id id from change c
    where c.former is not null and not exists (select 1 from item where number = c.item)
      and not exists (select 1 from deleted_item where number = c.item)`,
  `select 'an item that is deleted and there' what, i.id from item i join deleted_item d on d.number = i.number or d.id = i.id`,
  `select 'a created item that disappeared without a deletion' what, a.subject id from ${changeCounts} a
    where a.created > 0 and not (a.deleted = a.restored and a.erased = 1)
      and not (a.deleted = a.restored + 1 and a.erased <= 1)
      and not exists (select 1 from item where id = a.subject)`,
  `select 'a definition with missing or repeated audit entries' what, c.key id from collection c
    left join ${changeCounts} a on a.subject = c.kind || ':' || ltrim(c.key, '~')
    where a.defined is not c.version`,
  `select 'a replay for an item that was never created' what, r.item_id id from replay r
    left join ${changeCounts} a on a.subject = r.item_id
    where a.created is not 1 and (r.item_id like 'rec_%' or r.item_id like 'sub_%')`,
  `select 'a row in the guard' what, code id from guard`,
];

export const homeChecks = [
  `select 'a credential whose issue has no or several audit entries' what, c.id from credential c
    left join ${countsWith("")} a on a.subject = 'credential:' || c.id where a.issued is not 1`,
  `select 'a webhook with missing or repeated audit entries' what, w.id from webhook w
    where w.version <> (select count(*) from audit_entry a where a.subject = 'webhook:' || w.id)`,
  `select 'a row in the guard' what, code id from guard`,
];

/** With separate databases the flag is set after the change of a webhook, and the schedule repairs it. */
export const singleChecks = [
  `select 'a collection with a wrong listener flag' what, c.key id from collection c
    where c.id > 0 and c.listened <> exists (select 1 from webhook w, json_each(w.collections) j
      where w.state = 'active' and j.value in ('all', c.kind || ':' || c.key))`,
];

/** The select of a check, with as many rows as a message needs. */
export const limitedCheck = (sql: string) => `select what, id from (${sql}) limit 5`;

/** Returns all violations of an installation whose home and data are one database. */
export function findInconsistentRows(select: (sql: string) => unknown[]): string[] {
  return [...dataChecks, ...homeChecks, ...singleChecks].flatMap((sql) =>
    (select(limitedCheck(sql)) as { what: string; id: string }[]).map(
      ({ what, id }) => `${what}: ${id}`,
    ),
  );
}
