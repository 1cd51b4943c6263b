/** The apps and forms of the simulation. */

/** The address of the service. */
export const origin = "https://forms.example";

const fields = [
  { key: "title", type: "text", required: true },
  { key: "code", type: "text", unique: true },
  { key: "n", type: "number" },
  { key: "a", type: "number" },
  { key: "b", type: "number" },
  {
    key: "kind",
    type: "select",
    options: ["red", "green", "blue"].map((value) => ({ value, label: value })),
  },
  { key: "twice", type: "computed", formula: "n * 2", result: "number" },
];

export const seatCount = 4;
/** The collections that most clients use. */
export const collections = [
  { kind: "app", key: "parcels", settings: { receipt_prefix: "P-" } },
  { kind: "form", key: "visits", settings: {} },
  { kind: "form", key: "seats", settings: { acceptance: { max_submissions: seatCount } } },
] as const;

export const kinds = ["red", "green", "blue"] as const;

/**
 * The orders and fields that the view of the orders shows. The name of the view contains them, so that a judge can read
 * them from the database.
 */
export interface SeenThrough {
  kinds: readonly string[];
  fields: readonly string[];
}

export function viewOf(seen: SeenThrough): object {
  return {
    key: "some",
    name: `${seen.kinds.join()} ${seen.fields.join()}`,
    conditions: [{ field: "kind", op: "in", value: seen.kinds }],
    fields: seen.fields,
  };
}

export function readView(name: string): SeenThrough {
  const [kindNames = "", fieldNames = ""] = name.split(" ");
  return { kinds: kindNames.split(","), fields: fieldNames.split(",") };
}

const customer = { key: "customer", type: "reference", app: "customers" };
const firstView = { kinds: ["red", "green"], fields: ["title", "kind"] };

export const retainDays = 8;
/** Collections with their own clients: for references and views, deletions, and erasures by time. */
const special = [
  { kind: "app", key: "customers", settings: { receipt_prefix: "C-" } },
  {
    kind: "form",
    key: "orders",
    settings: { fields: [...fields, customer], views: [viewOf(firstView)] },
  },
  { kind: "form", key: "polls", settings: {} },
  { kind: "form", key: "diary", settings: { retain: { days: retainDays, only: "closed" } } },
] as const;

export const allCollections = [...collections, ...special];
export type CollectionKey = (typeof allCollections)[number]["key"];

export const kindOf = (key: CollectionKey): "app" | "form" =>
  key === "parcels" || key === "customers" ? "app" : "form";

export const definitionOf = (key: string, settings: object) => ({ name: key, fields, ...settings });
