/** Documents, conditions and sorts, looked into freely. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/**
 * What conditions and sorts mean, written down plainly on documents as the API shows them: the measure that the SQL
 * is held to. It knows nothing of plans, entries or pages.
 */
export function matches(document: Json, conditions: Json[], types: Record<string, Json>): boolean {
  const of = (key: string) => (key.startsWith("$") ? document[key.slice(1)] : document.data[key]);
  return conditions.every((each) => holds(each, of, types));
}

function holds(condition: Json, of: (key: string) => Json, types: Record<string, Json>): boolean {
  if (condition.all) return condition.all.every((each: Json) => holds(each, of, types));
  if (condition.not) return !holds(condition.not, of, types);
  if (condition.any && !condition.op)
    return condition.any.some((each: Json) => holds(each, of, types));
  const { field, op, value } = condition;
  const type = types[field] ?? "text";
  const has = of(field);
  switch (op) {
    case "is_empty":
      return (has === null || (Array.isArray(has) && has.length === 0)) === value;
    case "has_any":
      return value.some((each: string) => has.includes(each));
    case "has_all":
      return value.every((each: string) => has.includes(each));
    case "has_none":
      return !value.some((each: string) => has.includes(each));
    case "any":
      return has.some((row: Json) =>
        value.every((each: Json) => holds(each, (key) => row[key], type)),
      );
    case "none":
      return !has.some((row: Json) =>
        value.every((each: Json) => holds(each, (key) => row[key], type)),
      );
    case "ne":
      return !holds({ field, op: "eq", value }, of, types);
    case "not_in":
      return !holds({ field, op: "in", value }, of, types);
  }
  if (has === null) return false;
  const own = form(type, has);
  const sent = Array.isArray(value)
    ? value.map((each: Json) => form(type, each))
    : form(type, value);
  switch (op) {
    case "eq":
      return own === sent;
    case "in":
      return sent.includes(own);
    case "gt":
      return own > sent;
    case "gte":
      return own >= sent;
    case "lt":
      return own < sent;
    case "lte":
      return own <= sent;
    case "between":
      return own >= sent[0] && own <= sent[1];
    case "contains":
      return bare(own).includes(bare(sent));
    case "starts_with":
      return bare(own).startsWith(bare(sent));
  }
  throw new Error(`No such operator: ${op}`);
}

/** Text without case: full case folding is that of the lower case of the upper case. */
export function bare(text: string): string {
  return text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

function form(type: Json, value: Json): Json {
  if (type === "date") return value.slice(0, 10);
  return type === "datetime" ? Date.parse(value) : value;
}

/** The order of a search: its keys, empty values last, then stored order; newest first where nothing sorts. */
export function sorted(documents: Json[], sort: Json[], types: Record<string, Json>): Json[] {
  const stored = documents.map((document, index) => ({ document, index }));
  if (sort.length === 0) return stored.toReversed().map(({ document }) => document);
  const key = ({ document, index }: { document: Json; index: number }, field: string) => {
    // Ids and receipt numbers sort in stored order.
    if (field === "$id" || field === "$receipt_number") return index;
    const value = field.startsWith("$") ? document[field.slice(1)] : document.data[field];
    return value === null ? null : form(types[field] ?? "text", value);
  };
  return stored
    .toSorted((a, b) => {
      for (const { field, direction } of sort) {
        const [one, other] = [key(a, field), key(b, field)];
        if (one === other) continue;
        if (one === null || other === null) return one === null ? 1 : -1;
        const order = compare(one, other);
        return direction === "desc" ? -order : order;
      }
      return a.index - b.index;
    })
    .map(({ document }) => document);
}

/** Text by code points, as UTF-8 bytes compare. */
function compare(one: Json, other: Json): number {
  if (typeof one !== "string") return Number(one) - Number(other);
  const [a, b] = [Array.from(one), Array.from(other as string)];
  for (const [index, character] of a.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
