import { selectList, type Column, type Figures } from "./figures.ts";
import { isScaledSql, sumSql } from "./sums.ts";

/**
 * The figures of entries without groups. SQLite's sum of integers is an exact integer and takes a fraction of the time. Only
 * if there are other numbers does it read the entries again, to scale them.
 */
export function integersFirstSql(columns: readonly Column[], figures: Figures): string {
  const [sum] = figures.sums();
  if (!sum) return `select ${selectList(columns)} from rows`;
  const { name, scale } = sum;
  const { fraction } = sumSql(name, scale);
  const replacements: Record<string, string> = {
    [`whole_${name}`]: `iif(hasReals, 0, whole)`,
    [`fraction_${name}`]: `iif(hasReals, coalesce(fraction, 0), 0)`,
    [`misfits_${name}`]: `iif(hasReals, count_${name} - fitting, 0)`,
  };
  const own = columns.filter((column) => !Object.hasOwn(replacements, column.name));
  const all = columns.map((column) => ({
    ...column,
    sql: replacements[column.name] ?? column.name,
  }));
  return `with i as materialized (select ${selectList(own)}, sum(${name}) as whole,
      coalesce(typeof(sum(${name})) = 'real', 0) as hasReals from rows),
    s as materialized (select ${fraction} as fraction, count(*) as fitting from i cross join rows
      where i.hasReals and ${isScaledSql(name, scale)})
    select ${selectList(all)} from i, s`;
}
