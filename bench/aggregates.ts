/** Aggregates whose cost the documentation states, each with the plain SQL for the same result. */
const sum = { op: "sum", field: "amount" };
const department = { field: "department" };

export interface AggregateCase {
  name: string;
  body: Record<string, unknown>;
  /** The maximum number of rows that the aggregate reads for each item. */
  most: number;
  /**
   * SQL that an engineer would write by hand for the same exact groups, without bounds and names. It assumes that
   * values have at most six decimals. `{field:amount}` stands for a field of entries, `{slot:amount}` for one of items,
   * and `{form}` for the form.
   */
  bare: string;
}

const items = "item i where i.number > {above} and i.number < {below}";
const amount = "i.data ->> '{slot:amount}'";
/** SQL for an exact sum in millionths. */
const exactSum = (value: string) => `sum(cast(round(${value} * 1000000) as integer))`;

export const aggregates: AggregateCase[] = [
  {
    name: "the sum of a field",
    body: { metrics: { spent: sum } },
    most: 1.1,
    bare: `select ${exactSum("value")} from search_entry where field = {field:amount}`,
  },
  {
    name: "the sum of a field with decimals",
    body: { metrics: { points: { op: "sum", field: "score" } } },
    most: 1.1,
    bare: `select ${exactSum("value")} from search_entry where field = {field:score}`,
  },
  {
    name: "items by a field",
    body: { group_by: [department], metrics: { items: { op: "count" } } },
    most: 1.1,
    // The items without a department are all items minus those with one.
    bare: `select value, count(*), (select live from tally where collection_id = {form})
      from search_entry where field = {field:department} group by value order by value limit 100`,
  },
  {
    name: "sum and average of one field by another",
    body: { group_by: [department], metrics: { spent: sum, mean: { op: "avg", field: "amount" } } },
    most: 2.1,
    bare: `select i.data ->> '{slot:department}' as g, ${exactSum(amount)}, count(${amount}) from ${items} group by g order by g limit 100`,
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
      count(*), ${exactSum(amount)} from ${items} and i.data ->> '{slot:score}' >= 500 group by g, w order by g, w limit 100`,
  },
];
