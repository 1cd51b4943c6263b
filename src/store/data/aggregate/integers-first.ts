import type { SearchField } from "#domain/search/tree.ts";
import { selectList, type Column, type Figures } from "./figures.ts";
import { maxUsualSql } from "./sums.ts";

/** If one of the smallest or largest values is no integer, summing all of them as integers would be in vain. */
const peekedRows = 10;

/** SQL for whether a field has an entry whose absolute value is larger. */
export const beyondSql = ({ number }: SearchField, max: string): string =>
  [`> ${max}`, `< -${max}`]
    .map(
      (comparison) =>
        `exists (select 1 from search_entry c where c.field = ${number} and c.value ${comparison})`,
    )
    .join(" or ");

/**
 * The figures of entries without groups. SQLite's sum of integers is an exact integer and takes a fraction of the time. Only
 * if there are other numbers does the statement scale the values.
 */
export function integersFirstSql(columns: readonly Column[], figures: Figures): string {
  const [sum] = figures.sums();
  if (!sum) return `select ${selectList(columns)} from rows`;
  const { name, field } = sum;
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
  const peek = (direction: string) =>
    `exists (select 1 from (select ${name} from rows order by ${name} ${direction} limit ${peekedRows})
      where typeof(${name}) = 'real')`;
  return `with p as materialized (select ${peek("asc")} or ${peek("desc")} as hasReals),
    i as materialized (select ${selectList(integerColumns)},
      typeof(sum(${name})) = 'real' as hasReals from p cross join rows where not p.hasReals),
    m(most) as (select ${maxUsualSql("items")} from b),
    c as materialized (select case when not (p.hasReals or i.hasReals) then 'integers'
      when ${beyondSql(field, "most")} then 'unusual' else 'scaled' end as way from p, i, m),
    s as (select ${selectList(columns)} from c cross join rows where c.way = 'scaled')
    select ${selectList(chosen)} from c, i, s`;
}
