import type { Search, Sort } from "../../domain/search/tree";
import { balanced } from "./sql/balanced";
import { sortSql } from "./sql/value";
import type { Values } from "./sql/values";
import { itemCost, mostSortedBytes, pageBytes, wholeCostSql } from "./plan/cost";
import { behindAll, type Start } from "./start";
import { columns, conditionsSql, noColumns, ownItem, type Walk } from "./walk";

/** Every match among the candidates, sorted. The keys are sorted alone, and items fetched for the page. */
export function sortedInMemory(
  candidates: string,
  walk: Walk,
  rows: number,
  values: Values,
): string {
  const { sort } = walk.search;
  const keys = sort.map((_, index) => `k${index}`);
  const sorted = sort.map(({ field }, index) => `${sortSql(field)} as k${index}`);
  const after = walk.start ? ` and ${afterSql(walk.search, walk.start, values)}` : "";
  const order = sort.map(({ direction }, index) => `k${index} is null, k${index} ${direction}`);
  const byNumber = sort.length > 0 ? "number" : `number ${walk.search.order}`;
  const places = [...keys, "number"].map((key, index) => `s.${key} as k${index}`).join(", ");
  return `with c(item) as materialized (${candidates}),
      b(bytes) as materialized (select sum(${wholeCostSql(itemCost(walk.search.conditions))})
        from c cross join item i on ${ownItem(walk)}),
      sorted as materialized (select ${[...sorted, "i.number", "octet_length(i.data) as size"].join(", ")}
        from c cross join item i on ${ownItem(walk)}
        where (select bytes from b) <= ${mostSortedBytes} and ${conditionsSql(walk, values)}${after}
        order by ${[...order, byNumber].join(", ")} limit ${rows}),
      s as materialized (select *, sum(size) over (rows unbounded preceding) - size as spent from sorted)
    select 'hit' as kind, ${places}, ${columns} from s cross join item i on i.number = s.number
      where s.spent < ${pageBytes}
    union all select * from (select 'edge', ${places}, ${noColumns} from s
      where s.spent < ${pageBytes} and exists (select 1 from s where spent >= ${pageBytes})
      order by s.spent desc limit 1)
    union all select 'heavy', ${keys.map(() => "null, ").join("")}null, ${noColumns} from b
      where bytes > ${mostSortedBytes}`;
}

/** Strictly behind a position in the order of the sort keys; empty values come last in both directions. */
function afterSql({ sort, order }: Search, start: Start, values: Values): string {
  const number = values.scalar(start.number);
  if (sort.length === 0) return `i.number ${order === "asc" ? ">" : "<"} ${number}`;
  const isSame = (index: number, field: Sort["field"]) =>
    `${sortSql(field)} is ${values.scalar(start.values[index] ?? null)}`;
  const steps = sort
    .slice(0, (start.from ?? sort.length) + 1)
    .map(({ field, direction }, index) => {
      const same = sort.slice(0, index).map((each, before) => isSame(before, each.field));
      const at = sortSql(field);
      const value = start.values[index] ?? null;
      const behind =
        start.from === index
          ? beginsSql(at, direction, String(value), values)
          : value === null
            ? "0"
            : `${at} ${direction === "asc" ? ">" : "<"} ${values.scalar(value)}`;
      const empty = value === null ? "" : `${at} is null or `;
      return balanced("and", [...same, `(${empty}${behind})`]);
    });
  if (start.from !== null) return balanced("or", steps);
  const same = sort.map(({ field }, index) => isSame(index, field));
  return balanced("or", [...steps, balanced("and", [...same, `i.number > ${number}`])]);
}

/** From where texts begin that begin so, in this direction. */
function beginsSql(at: string, direction: "asc" | "desc", text: string, values: Values): string {
  if (direction === "asc") return `${at} >= ${values.scalar(text)}`;
  const end = behindAll(text);
  return end === undefined ? "1" : `${at} < ${values.scalar(end)}`;
}
