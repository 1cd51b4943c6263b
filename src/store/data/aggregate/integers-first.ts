import type { SearchField } from "#domain/search/tree.ts";
import { selectList, type Column, type Figures } from "./figures.ts";
import { maxUsualSql } from "./sums.ts";

/** If one of the smallest values or the greatest is no integer, summing all of them as integers would be in vain. */
const peekedRows = 16;

/** SQL for the least and the greatest value of a field. */
export const leastAndGreatestSql = ({ number }: SearchField): string =>
  ["asc", "desc"]
    .map(
      (order) =>
        `(select value from search_entry where field = ${number} order by value ${order} limit 1)`,
    )
    .join(", ");

/** SQL for whether the field has a larger absolute value than this. */
export const exceedsSql = (max: string): string => `greatest > ${max} or least < -${max}`;

/** Whether the statement sums entries without groups, in the usual way. */
export const takesIntegersFirst = (figures: Figures): boolean => {
  const { aggregate, source, isGeneral } = figures.plan;
  const isPlain = source === "entries" && aggregate.groups.length === 0 && !isGeneral;
  return isPlain && figures.sums().length > 0;
};

/** SQL for the table `e` of all entries in these ranges, with the column that figures read. */
export const entriesSql = (figures: Figures, inRanges: string): string =>
  `e as not materialized (select c.field, ${selectList(figures.stored())} from search_entry c where true${inRanges})`;

/**
 * The figures of entries without groups. SQLite's sum of integers is an exact integer and takes a fraction of the time. Only
 * if there are other numbers does the statement scale the values. SQLite compiles a table again wherever its name stands,
 * so each table passes on what the next one needs. Undefined for other figures.
 */
export function integersFirstSql(columns: readonly Column[], figures: Figures): string | undefined {
  const [sum] = figures.sums();
  if (!sum || !takesIntegersFirst(figures)) return undefined;
  const {
    name,
    field: { number },
  } = sum;
  const ofIntegers: Record<string, string> = {
    [`whole_${name}`]: `sum(${name})`,
    [`fraction_${name}`]: "0",
  };
  const integerColumns = columns.map((column) => ({
    ...column,
    sql: ofIntegers[column.name] ?? column.sql,
  }));
  const chosen = columns.map((column) => ({
    ...column,
    sql:
      column.name === "unusual"
        ? "way = 'unusual'"
        : `iif(way = 'integers', w.${column.name}, s.${column.name})`,
  }));
  // Reads no entries where the condition does not hold. A condition of its own would be tested for each.
  const entriesIf = (condition: string) => `e where e.field = iif(${condition}, ${number}, -1)`;
  return `with p as materialized (select reason, items, least, greatest,
      typeof(least) = 'real' or typeof(greatest) = 'real' or exists (select 1 from
        (select ${name} from ${entriesIf("reason is null")} limit ${peekedRows}) where typeof(${name}) = 'real') as hasReals
      from n),
    i as materialized (select ${selectList(integerColumns)}, typeof(sum(${name})) = 'real' as isBeyond
      from p cross join ${entriesIf("reason is null and not hasReals")}),
    w as materialized (select i.*, case when not (hasReals or isBeyond) then 'integers'
      when ${exceedsSql(maxUsualSql("items"))} then 'unusual' when reason is null then 'scaled' end as way from p, i),
    s as (select ${selectList(columns)} from w cross join ${entriesIf("way = 'scaled'")})
    select ${selectList(chosen)} from w, s`;
}
