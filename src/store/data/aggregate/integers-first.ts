import { selectList, type Column, type Figures } from "./figures.ts";

/** If one of the smallest values is no integer, summing all of them as integers would be in vain. */
const peekedRows = 20;

/**
 * The figures of entries without groups. SQLite's sum of integers is an exact integer and takes a fraction of the time. Only
 * if there are other numbers does the statement scale the values, which takes the time of two sums.
 */
export function integersFirstSql(columns: readonly Column[], figures: Figures): string {
  const [sum] = figures.sums();
  if (!sum) return `select ${selectList(columns)} from rows`;
  const { name } = sum;
  const ofIntegers: Record<string, string> = {
    [`whole_${name}`]: `sum(${name})`,
    [`fraction_${name}`]: "0",
    [`misfits_${name}`]: "0",
  };
  const integerColumns = columns.map((column) => ({
    ...column,
    sql: ofIntegers[column.name] ?? column.sql,
  }));
  const chosen = columns.map((column) => ({
    ...column,
    sql: `iif(isScaled, s.${column.name}, i.${column.name})`,
  }));
  return `with p as materialized (select exists (select 1 from (select ${name} from rows limit ${peekedRows})
      where typeof(${name}) = 'real') as hasReals),
    i as materialized (select ${selectList(integerColumns)},
      typeof(sum(${name})) = 'real' as hasReals from p cross join rows where not p.hasReals),
    c as materialized (select p.hasReals or i.hasReals as isScaled from p, i),
    s as (select ${selectList(columns)} from c cross join rows where c.isScaled)
    select ${selectList(chosen)} from c, i, s`;
}
