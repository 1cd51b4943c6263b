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

/**
 * The figures of entries without groups. SQLite's sum of integers is an exact integer and takes a fraction of the time. Only
 * if there are other numbers does the statement scale the values.
 */
export function integersFirstSql(columns: readonly Column[], figures: Figures): string {
  const [sum] = figures.sums();
  if (!sum) return `select ${selectList(columns)} from rows`;
  const { name } = sum;
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
        : `iif(way = 'integers', i.${column.name}, s.${column.name})`,
  }));
  return `with p as materialized (select typeof(least) = 'real' or typeof(greatest) = 'real'
      or exists (select 1 from (select ${name} from rows limit ${peekedRows}) where typeof(${name}) = 'real') as hasReals
      from b),
    i as materialized (select ${selectList(integerColumns)},
      typeof(sum(${name})) = 'real' as hasReals from p cross join rows where not p.hasReals),
    c as materialized (select case when not (p.hasReals or i.hasReals) then 'integers'
      when ${exceedsSql(maxUsualSql("items"))} then 'unusual' else 'scaled' end as way from p, i, b),
    s as (select ${selectList(columns)} from c cross join rows where c.way = 'scaled')
    select ${selectList(chosen)} from c, i, s`;
}
