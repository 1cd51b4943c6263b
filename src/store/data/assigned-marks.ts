import type { AssignedMark } from "#domain/item/view-marks.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import { referencedFields } from "#domain/search/tree.ts";
import type { CollectionDatabase, PreparedStatement } from "#store/db/database.ts";
import { preparePageStatement } from "./search/batch.ts";
import { conditionSql } from "./search/conditions.ts";
import { SearchValues } from "./search/search-values.ts";

/** A change of a new item. The database completes its marks. */
export interface OpenChange {
  /** The ID of the item. */
  id: string;
  /** How many changes of the batch follow it. */
  followingCount: number;
  marks: readonly AssignedMark[];
}

/**
 * D1 limits the length and the memory of a statement, and each list of operands takes memory for all of its values. So the
 * conditions of a statement name this many fields, unless a single one names more.
 */
const maxFields = 50;

/**
 * Adds the marks that depend on values which the database assigned. A batch runs these statements after it has stored
 * its items and changes. They leave a change that is already complete unchanged.
 */
export function assignMarks(
  db: CollectionDatabase,
  changes: readonly OpenChange[],
): PreparedStatement<"data">[] {
  const rows = changes.flatMap(({ id, followingCount, marks }) =>
    marks.map((mark): OpenMark => ({ ...mark, id, followingCount })),
  );
  const byCondition = Map.groupBy(rows, ({ condition }) =>
    JSON.stringify(condition, (_, value: unknown) =>
      value instanceof Map ? [...value.keys()] : value,
    ),
  );
  const chunks: ConditionMarks[][] = [];
  let count = Infinity;
  for (const marks of byCondition.values()) {
    const [first] = marks;
    if (!first) continue;
    const { condition } = first;
    const fieldCount = referencedFields({ conditions: [condition], sort: [] }).length;
    count += fieldCount;
    if (count > maxFields) {
      chunks.push([]);
      count = fieldCount;
    }
    chunks.at(-1)?.push({ condition, marks });
  }
  return chunks.map((chunk) => assignChunk(db, chunk));
}

type OpenMark = AssignedMark & Omit<OpenChange, "marks">;

/** The marks with one condition. */
interface ConditionMarks extends Pick<OpenMark, "condition"> {
  marks: readonly OpenMark[];
}

function assignChunk(
  db: CollectionDatabase,
  chunk: readonly ConditionMarks[],
): PreparedStatement<"data"> {
  const values = new SearchValues();
  const branches = chunk.map(
    ({ condition }, place) => `when ${place} then ${conditionSql(condition, values)}`,
  );
  const placed = chunk.flatMap(({ marks }, place) => marks.map((mark) => ({ ...mark, place })));
  const byChange = Map.groupBy(placed, ({ followingCount }) => followingCount);
  const rows = [...byChange].map(([followingCount, marks]) => [
    followingCount,
    marks[0]?.id,
    marks.flatMap(({ place, positive, negative }) =>
      positive.map((text, index) => [place, text, index === 0 ? null : negative]),
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
  return preparePageStatement(db, values.statement(text));
}
