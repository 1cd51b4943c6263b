import type { AssignedMark } from "#domain/item/view-marks.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import type { CollectionDatabase, PreparedStatement } from "#store/db/database.ts";
import { conditionSql, SearchValues } from "./search/conditions.ts";

/** A change of a new item whose marks the database completes. */
export interface OpenChange {
  /** The ID of the item. */
  id: string;
  /** How many changes of the batch follow it. */
  followingCount: number;
  marks: readonly AssignedMark[];
}

/**
 * Adds the marks that depend on values which the database assigned: a batch runs it after it stored its items and changes. A
 * change that is already complete stays the same.
 */
export function assignMarks(
  db: CollectionDatabase,
  changes: readonly OpenChange[],
): PreparedStatement<"data">[] {
  const open = changes.filter(({ marks }) => marks.length > 0);
  if (open.length === 0) return [];
  const values = new SearchValues();
  const cases = new Map<string, number>();
  const branches: string[] = [];
  const caseOf = ({ condition }: AssignedMark): number => {
    const name = JSON.stringify(condition, (_, value: unknown) =>
      value instanceof Map ? [...value.keys()] : value,
    );
    const known = cases.get(name) ?? cases.size;
    if (known === cases.size) {
      cases.set(name, known);
      branches.push(`when ${known} then ${conditionSql(condition, values)}`);
    }
    return known;
  };
  const rows = open.map(({ id, followingCount, marks }) => [
    followingCount,
    id,
    marks.flatMap((mark) =>
      mark.positive.map((text, index) => [caseOf(mark), text, index === 0 ? null : mark.negative]),
    ),
  ]);
  const table = values.table(rows);
  const { above, below } = itemNumberRange(db.collectionId);
  const last = `(select number from change where number > ${above} and number < ${below} order by number desc limit 1)`;
  const isRow = `number = ${last} - (r.value ->> 0) and change.item_id = r.value ->> 1`;
  const text = `update change set views = (select json_group_array(mark) from (
      select value as mark from json_each(coalesce(change.views, '[]'))
      union
      select iif(case e.value ->> 0 ${branches.join(" ")} end, e.value ->> 1, e.value ->> 2)
        from ${table} r cross join item i cross join json_each(r.value, '$[2]') e
        where i.id = r.value ->> 1 and change.${isRow})
      where mark is not null)
    where number in (select ${last} - (r.value ->> 0) from ${table} r)
      and exists (select 1 from ${table} r where change.${isRow})`;
  return [db.prepare(text, [values.json])];
}
