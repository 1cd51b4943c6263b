import { env } from "cloudflare:workers";
import { fieldsPerCollection, systemFieldIds } from "../../src/domain/data/values.ts";
import { placesPerCollection } from "../../src/domain/item/item.ts";

/**
 * What is never true of the tables, whatever failed: each select gives the rows that tell of something half-stored.
 * For collections of text, numbers and selects, whose values stand in an item as they stand in the index.
 */

/** Live fields that hold one value each, with their number in the index. */
const fields = `(select c.id collection_id, c.id * ${fieldsPerCollection} + (f.value ->> 'id') number,
    c.id * ${fieldsPerCollection} + (f.value ->> 'uniqueId') unique_number, cast(f.value ->> 'id' as text) slot,
    coalesce(f.value ->> 'searchable', 0) searchable, coalesce(f.value ->> 'unique', 0) is_unique
  from collection c, json_each(c.fields, '$.fields') f)`;

/** The values that items have in those fields. */
const values = `(select i.number item, i.status, f.number field, f.unique_number, f.searchable, f.is_unique, v.value
  from item i join ${fields} f on f.collection_id = i.collection_id
    join json_each(i.data) v on v.key = f.slot
  where v.value is not null)`;

/** What the audit and the changes have of each subject. */
const acts = `(select subject, count(*) acts, count(distinct version) versions,
    sum(action in ('record.create', 'submission.create')) created, sum(action = 'submission.delete') deleted,
    sum(action in ('definition.create', 'definition.change')) defined, sum(action = 'credential.issue') issued
  from (select subject, version, action from audit_entry
    union all select item_id, version, action from change) group by subject)`;

/** Entries may be missing while they are being made. */
const indexed = "not exists (select 1 from indexing x where x.collection_id = i.collection_id)";

const given = (name: keyof typeof systemFieldIds, value: string) =>
  `select number item, collection_id * ${fieldsPerCollection} + ${systemFieldIds[name]} field, ${value} value
    from item where ${value} is not null`;

/** What is known of items besides their data. */
const system = `(${[given("status", "status"), given("updatedAt", "updated_at")].join(
  " union all ",
)})`;

const checks = [
  `select 'an item without the entries of its system fields' what, s.item id from ${system} s
    where not exists (select 1 from search_entry e where e.field = s.field and e.value = s.value and e.item = s.item)`,
  `select 'an item with other entries of its system fields' what, e.item id from search_entry e
    where e.field % ${fieldsPerCollection} > ${systemFieldIds.id - 1} group by e.item having count(*) <>
      (select 1 + (i.status is not null) from item i where i.number = e.item)`,
  `select 'a value without its search entry' what, i.id from item i join ${values} v on v.item = i.number
    where v.searchable and ${indexed} and not exists
      (select 1 from search_entry e where e.field = v.field and e.value = v.value and e.item = v.item)`,
  `select 'a search entry without its value' what, e.item id from search_entry e
      join ${fields} f on f.number = e.field and f.searchable
    where not exists (select 1 from ${values} v where v.item = e.item and v.field = e.field and v.value = e.value)`,
  `select 'a search entry without its item' what, e.item id from search_entry e
    where not exists (select 1 from item where number = e.item)`,
  `select 'a unique value that is not taken' what, v.item id from ${values} v
    where v.is_unique and v.status is not 'draft' and not exists
      (select 1 from unique_value u where u.field = v.unique_number and u.value = v.value and u.item = v.item)`,
  `select 'a taken value that no item has' what, u.item id from unique_value u
      join ${fields} f on f.unique_number = u.field and f.is_unique
    where not exists (select 1 from ${values} v
      where v.item = u.item and v.unique_number = u.field and v.value = u.value and v.status is not 'draft')`,
  `select 'a taken value without its item' what, u.item id from unique_value u
    where not exists (select 1 from item where number = u.item)`,
  `select 'a collection without its tally' what, c.key id from collection c
    where not exists (select 1 from tally where collection_id = c.id)`,
  `select 'a tally that counts other items' what, t.collection_id id from tally t
    left join (select collection_id, count(*) n from item group by collection_id) i using (collection_id)
    where t.live <> coalesce(i.n, 0)`,
  `select 'an item beyond its tally' what, i.id from item i join tally t on t.collection_id = i.collection_id
    where i.number - i.collection_id * ${placesPerCollection} not between 1 and t.last_place
      or i.created_at > t.last_created_at`,
  `select 'a gap in the receipt numbers' what, c.key id from collection c join tally t on t.collection_id = c.id
    left join (select collection_id, count(*) n from item group by collection_id) i using (collection_id)
    where c.kind = 'app' and t.last_place <> coalesce(i.n, 0)`,
  `select 'a receipt number that is not its own' what, i.id from item i join collection c on c.id = i.collection_id
    where i.receipt_number is not case c.kind when 'app' then
      c.receipt_prefix || printf('%06d', i.number - c.id * ${placesPerCollection}) end`,
  `select 'an item whose changes are not kept, or are twice' what, i.id from item i
    left join ${acts} a on a.subject = i.id where a.acts is not i.version or a.versions is not i.version`,
  `select 'an item that does not point to its last change' what, i.id from item i
    left join change c on c.number = i.last_change
    where c.item is not i.number or c.version is not i.version`,
  `select 'a change that does not point to the one before' what, c.item_id id from change c
    left join change b on b.number = c.previous
    where c.action not like '%.create' and (b.item is not c.item or b.version is not c.version - (c.action <> 'submission.delete'))`,
  `select 'former values of an item that is deleted' what, c.item_id id from change c
    where c.former is not null and not exists (select 1 from item where number = c.item)`,
  `select 'an item without a trace of where it went' what, a.subject id from ${acts} a
    where a.created > 0 and a.deleted <> 1
      and not exists (select 1 from item where id = a.subject)`,
  `select 'a definition whose changes are not in the audit, or are twice' what, c.key id from collection c
    left join ${acts} a on a.subject = c.kind || ':' || c.key where a.defined is not c.version`,
  `select 'a remembered answer of an item that never was' what, r.item_id id from replay r
    left join ${acts} a on a.subject = r.item_id
    where a.created is not 1 and (r.item_id like 'rec_%' or r.item_id like 'sub_%')`,
  `select 'a credential whose issue is not in the audit, or is twice' what, c.id from credential c
    left join ${acts} a on a.subject = 'credential:' || c.id where a.issued is not 1`,
  `select 'a webhook whose changes are not in the audit, or are twice' what, w.id from webhook w
    where w.version <> (select count(*) from audit_entry a where a.subject = 'webhook:' || w.id)`,
  `select 'a collection that does not say whether a webhook listens' what, c.key id from collection c
    where c.listened <> exists (select 1 from webhook w, json_each(w.collections) j
      where w.state = 'active' and j.value = c.kind || ':' || c.key)`,
  `select 'a row in the guard' what, code id from guard`,
];

/** Looks one at a time, however many ask. */
let looking: Promise<unknown> = Promise.resolve();
let next: Promise<string[]> | undefined;

/** What is half-stored, if anything is; as of one moment, so that it may be asked while others write. */
export function halfStored(): Promise<string[]> {
  next ??= looking.then(() => {
    const look = lookThrough();
    [looking, next] = [look, undefined];
    return look;
  });
  return next;
}

async function lookThrough(): Promise<string[]> {
  const found = await env.DB.batch<{ what: string; id: string }>(
    checks.map((check) => env.DB.prepare(`select what, id from (${check}) limit 5`)),
  );
  return found.flatMap(({ results }) => results.map(({ what, id }) => `${what}: ${id}`));
}
