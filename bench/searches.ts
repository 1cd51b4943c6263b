/** Every kind of search whose cost the documentation promises. */
const eq = { field: "department", op: "eq", value: "department 3" };
const tenth = { field: "amount", op: "between", value: [400_000, 500_000] };
const rows = [
  { field: "sku", op: "eq", value: "SKU-7" },
  { field: "qty", op: "gt", value: 10 },
];
const since = { field: "$created_at", op: "gte", value: "2026-01-01T00:00:10Z" };
const until = { field: "$created_at", op: "lt", value: "2026-01-01T00:00:20Z" };
const some = Array.from({ length: 50 }, (_, index) => 1 + index * 500);
const ids = some.map((place) => `sub_${String(place).padStart(26, "0")}`);
const times = some.map((place) =>
  new Date(Date.parse("2026-01-01T00:00:00Z") + place).toISOString(),
);
const by = (field: string, direction = "asc") => [{ field, direction }];
const where = (...conditions: object[]) => ({ conditions });

export interface SearchCase {
  name: string;
  body: Record<string, unknown>;
  /** The most rows that a page reads, at any size. */
  most: number;
  /** Whether an index serves it, so that pages are full wherever there are enough items. */
  fills: boolean;
}

const search = (name: string, body: SearchCase["body"], most: number, fills: boolean) => ({
  name,
  body,
  most,
  fills,
});

export const searches: SearchCase[] = [
  search("no conditions", {}, 56, true),
  search("equality", where(eq), 150, true),
  search("two equalities", where(eq, { field: "city", op: "eq", value: "City 33" }), 3500, false),
  search("sorted by a field", { sort: by("amount") }, 350, true),
  search("sorted by a field, descending", { sort: by("amount", "desc") }, 500, true),
  search(
    "a range sorted by that field, and an equality",
    { ...where(tenth, eq), sort: by("amount") },
    1500,
    true,
  ),
  search(
    "a range and an equality, sorted by a third field",
    { ...where(tenth, eq), sort: by("due") },
    12_000,
    false,
  ),
  search("contains", where({ field: "name", op: "contains", value: "777" }), 12_000, false),
  search(
    "a condition on a row of line items",
    where({ field: "lines", op: "any", value: rows }),
    12_000,
    false,
  ),
  search("a negation", where({ not: eq }, { field: "score", op: "ne", value: 5 }), 12_000, true),
  search("no match at all", where({ field: "name", op: "eq", value: "Nobody" }), 12_000, false),
  search(
    "no match by contains",
    where({ field: "name", op: "contains", value: "nobody" }),
    12_000,
    false,
  ),
  search(
    "no match, sorted",
    { ...where({ field: "name", op: "contains", value: "nobody" }), sort: by("score", "desc") },
    12_000,
    false,
  ),
  search("empty values", where({ field: "city", op: "is_empty", value: true }), 12_000, false),
  search("created since a time", where(since), 400, true),
  search("an equality among those of a time", where(since, until, eq), 450, true),
  search("those of a time, sorted by a field", { ...where(since), sort: by("amount") }, 1500, true),
  search("by ids", where({ field: "$id", op: "in", value: ids }), 1000, false),
  search(
    "by times of creation",
    where({ field: "$created_at", op: "in", value: times }),
    12_000,
    false,
  ),
  search("newest first by a system field", { sort: by("$updated_at", "desc") }, 500, true),
];
