/** Documents, conditions and sorts, which this file reads without types. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/**
 * The reference for the SQL of searches: evaluates conditions on the documents that the API returns. Knows no plans,
 * index entries or pages.
 */
export function matches(document: Json, conditions: Json[], types: Record<string, Json>): boolean {
  const valueOf = (key: string) =>
    key.startsWith("$") ? document[key.slice(1)] : document.data[key];
  return conditions.every((item) => holds(item, valueOf, types));
}

function holds(
  condition: Json,
  valueOf: (key: string) => Json,
  types: Record<string, Json>,
): boolean {
  if (condition.all) return condition.all.every((item: Json) => holds(item, valueOf, types));
  if (condition.not) return !holds(condition.not, valueOf, types);
  if (condition.any && !condition.op)
    return condition.any.some((item: Json) => holds(item, valueOf, types));
  const { field, op, value } = condition;
  const type = types[field] ?? "text";
  const storedValue = valueOf(field);
  switch (op) {
    case "is_empty":
      return (
        (storedValue === null || (Array.isArray(storedValue) && storedValue.length === 0)) === value
      );
    case "has_any":
      return value.some((choice: string) => storedValue.includes(choice));
    case "has_all":
      return value.every((choice: string) => storedValue.includes(choice));
    case "has_none":
      return !value.some((choice: string) => storedValue.includes(choice));
    case "any":
      return storedValue.some((row: Json) =>
        value.every((item: Json) => holds(item, (key) => row[key], type)),
      );
    case "none":
      return !storedValue.some((row: Json) =>
        value.every((item: Json) => holds(item, (key) => row[key], type)),
      );
    case "ne":
      return !holds({ field, op: "eq", value }, valueOf, types);
    case "not_in":
      return !holds({ field, op: "in", value }, valueOf, types);
  }
  if (storedValue === null) return false;
  const actual = comparable(type, storedValue);
  const operand = Array.isArray(value)
    ? value.map((item: Json) => comparable(type, item))
    : comparable(type, value);
  switch (op) {
    case "eq":
      return actual === operand;
    case "in":
      return operand.includes(actual);
    case "gt":
      return actual > operand;
    case "gte":
      return actual >= operand;
    case "lt":
      return actual < operand;
    case "lte":
      return actual <= operand;
    case "between":
      return actual >= operand[0] && actual <= operand[1];
    case "contains":
      return foldText(actual).includes(foldText(operand));
    case "starts_with":
      return foldText(actual).startsWith(foldText(operand));
  }
  throw new Error(`No such operator: ${op}`);
}

/** Folds each letter on its own, as Unicode's full case folding does. The dotless i has no folding. */
export function foldText(text: string): string {
  const folded = Array.from(text.normalize("NFC"), (letter) =>
    letter === "ı" ? letter : letter.toLowerCase().toUpperCase().toLowerCase(),
  );
  return folded.join("").normalize("NFC");
}

/** Dates compare as calendar days, date-times as instants. */
function comparable(type: Json, value: Json): Json {
  if (type === "date") return value.slice(0, 10);
  return type === "datetime" ? Date.parse(value) : value;
}

/** Sorts by the keys, with empty values last and ties in stored order. Without keys, the newest item is first. */
export function sorted(documents: Json[], sort: Json[], types: Record<string, Json>): Json[] {
  const indexed = documents.map((document, index) => ({ document, index }));
  if (sort.length === 0) return indexed.toReversed().map(({ document }) => document);
  const sortValue = ({ document, index }: { document: Json; index: number }, field: string) => {
    // Ids and receipt numbers sort in stored order.
    if (field === "$id" || field === "$receipt_number") return index;
    const value = field.startsWith("$") ? document[field.slice(1)] : document.data[field];
    return value === null ? null : comparable(types[field] ?? "text", value);
  };
  return indexed
    .toSorted((a, b) => {
      for (const { field, direction } of sort) {
        const [x, y] = [sortValue(a, field), sortValue(b, field)];
        if (x === y) continue;
        if (x === null || y === null) return x === null ? 1 : -1;
        const order = compare(x, y);
        return direction === "desc" ? -order : order;
      }
      return a.index - b.index;
    })
    .map(({ document }) => document);
}

/** Compares text by code points, which is the order of UTF-8 bytes. */
function compare(x: Json, y: Json): number {
  if (typeof x !== "string") return Number(x) - Number(y);
  const [a, b] = [Array.from(x), Array.from(y as string)];
  for (const [index, character] of a.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
