/** Every kind of search whose cost the documentation states. */
const equality = { field: "department", op: "eq", value: "department 3" };
const amountRange = { field: "amount", op: "between", value: [400_000, 500_000] };
const rowConditions = [
  { field: "sku", op: "eq", value: "SKU-7" },
  { field: "qty", op: "gt", value: 10 },
];
const since = { field: "$created_at", op: "gte", value: "2026-01-01T00:00:10Z" };
const until = { field: "$created_at", op: "lt", value: "2026-01-01T00:00:20Z" };
const sequences = Array.from({ length: 50 }, (_, index) => 1 + index * 500);
const ids = sequences.map((sequence) => `sub_${String(sequence).padStart(26, "0")}`);
const times = sequences.map((sequence) =>
  new Date(Date.parse("2026-01-01T00:00:00Z") + sequence).toISOString(),
);
const sortBy = (field: string, direction = "asc") => [{ field, direction }];
const withConditions = (...conditions: object[]) => ({ conditions });

export interface SearchCase {
  name: string;
  body: Record<string, unknown>;
  /** The maximum number of rows that a page reads, at any number of items. */
  most: number;
  /** Whether an index serves the search, so that every page is full if there are enough matches. */
  fills: boolean;
}

const search = (name: string, body: SearchCase["body"], maxRows: number, fills: boolean) => ({
  name,
  body,
  most: maxRows,
  fills,
});

export const searches: SearchCase[] = [
  search("no conditions", {}, 56, true),
  search("equality", withConditions(equality), 150, true),
  search(
    "two equalities",
    withConditions(equality, { field: "city", op: "eq", value: "City 33" }),
    3500,
    false,
  ),
  search("sorted by a field", { sort: sortBy("amount") }, 350, true),
  search("sorted by a field, descending", { sort: sortBy("amount", "desc") }, 500, true),
  search(
    "a range sorted by that field, and an equality",
    { ...withConditions(amountRange, equality), sort: sortBy("amount") },
    1500,
    true,
  ),
  search(
    "a range and an equality, sorted by a third field",
    { ...withConditions(amountRange, equality), sort: sortBy("due") },
    12_000,
    false,
  ),
  search(
    "contains",
    withConditions({ field: "name", op: "contains", value: "777" }),
    12_000,
    false,
  ),
  search(
    "a condition on a row of line items",
    withConditions({ field: "lines", op: "any", value: rowConditions }),
    12_000,
    false,
  ),
  search(
    "a negation",
    withConditions({ not: equality }, { field: "score", op: "ne", value: 5 }),
    12_000,
    true,
  ),
  search(
    "no match at all",
    withConditions({ field: "name", op: "eq", value: "Nobody" }),
    12_000,
    false,
  ),
  search(
    "no match by contains",
    withConditions({ field: "name", op: "contains", value: "nobody" }),
    12_000,
    false,
  ),
  search(
    "no match, sorted",
    {
      ...withConditions({ field: "name", op: "contains", value: "nobody" }),
      sort: sortBy("score", "desc"),
    },
    12_000,
    false,
  ),
  search(
    "empty values",
    withConditions({ field: "city", op: "is_empty", value: true }),
    12_000,
    false,
  ),
  search("created since a time", withConditions(since), 400, true),
  search("an equality among those of a time", withConditions(since, until, equality), 450, true),
  search(
    "those of a time, sorted by a field",
    { ...withConditions(since), sort: sortBy("amount") },
    1500,
    true,
  ),
  search("by ids", withConditions({ field: "$id", op: "in", value: ids }), 1000, false),
  search(
    "by times of creation",
    withConditions({ field: "$created_at", op: "in", value: times }),
    12_000,
    false,
  ),
  search("newest first by a system field", { sort: sortBy("$updated_at", "desc") }, 500, true),
];
