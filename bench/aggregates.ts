/** Aggregates whose cost the documentation promises, each with the plain SQL that computes about the same. */
const sum = { op: "sum", field: "amount" };
const department = { field: "department" };

export interface AggregateCase {
  name: string;
  body: Record<string, unknown>;
  /** The maximum number of rows that it reads for each item. */
  most: number;
  /** SQL with the same order and limit, without exactness, bounds and names. `{field:amount}` is a field of entries, `{slot:amount}` one of items. */
  bare: string;
}

const items = "item i where i.number > {above} and i.number < {below}";
const amount = "i.data ->> '{slot:amount}'";

export const aggregates: AggregateCase[] = [
  {
    name: "the sum of a field",
    body: { metrics: { spent: sum } },
    most: 1.1,
    bare: "select count(*), sum(value) from search_entry where field = {field:amount}",
  },
  {
    name: "the sum of a field with decimals",
    body: { metrics: { points: { op: "sum", field: "score" } } },
    most: 1.1,
    bare: "select count(*), sum(value) from search_entry where field = {field:score}",
  },
  {
    name: "items by a field",
    body: { group_by: [department], metrics: { items: { op: "count" } } },
    most: 1.1,
    bare: "select value, count(*) from search_entry where field = {field:department} group by value order by value limit 100",
  },
  {
    name: "sum and average of one field by another",
    body: { group_by: [department], metrics: { spent: sum, mean: { op: "avg", field: "amount" } } },
    most: 2.1,
    bare: `select i.data ->> '{slot:department}' as g, count(*), sum(${amount}), avg(${amount}) from ${items} group by g order by g limit 100`,
  },
  {
    name: "items by status and month of creation",
    body: {
      group_by: [{ field: "$status" }, { field: "$created_at", unit: "month" }],
      metrics: { items: { op: "count" } },
    },
    most: 2.1,
    bare: `select i.status, strftime('%Y-%m', i.created_at / 1000, 'unixepoch') as g, count(*) from ${items} group by i.status, g order by i.status, g limit 100`,
  },
  {
    name: "sum by department and week, of the items of a field",
    body: {
      conditions: [{ field: "score", op: "gte", value: 500 }],
      group_by: [department, { field: "due", unit: "week" }],
      metrics: { spent: sum, items: { op: "count" } },
    },
    most: 2.1,
    bare: `select i.data ->> '{slot:department}' as g, strftime('%G-W%V', substr(i.data ->> '{slot:due}', 1, 10)) as w,
      count(*), sum(${amount}) from ${items} and i.data ->> '{slot:score}' >= 500 group by g, w order by g, w limit 100`,
  },
];
