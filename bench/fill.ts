import { fieldNumber, systemFieldIds } from "../src/domain/data/values.ts";

/**
 * The form that the benchmarks use, and SQL that fills it like creates through the API. It has ten fields. Eight
 * scalar fields and both columns of the line items are indexed.
 */

const text = (key: string, rules: object = {}) => ({ key, type: "text", ...rules });

export const fields = [
  text("name"),
  text("department"),
  { key: "amount", type: "number" },
  { key: "due", type: "date" },
  text("code"),
  { key: "done", type: "boolean" },
  text("city"),
  { key: "score", type: "number" },
  { key: "lines", type: "line_items", fields: [text("sku"), { key: "qty", type: "number" }] },
  text("note", { searchable: false }),
];

/** SQL for a pseudorandom value that is the same in each run. It hashes the item's sequence number `p`. */
const hash = (prime: number, limit: number) => `((p * ${prime} % 1000003) * 7919 % ${limit})`;

/** SQL for each value of the item with the sequence number `p`. */
const columns = {
  name: `'Person ' || ${hash(104_729, 50_000)}`,
  department: `'department ' || ${hash(15_485_863, 10)}`,
  amount: hash(32_452_843, 1_000_000),
  due: `date('2020-01-01', '+' || ${hash(49_979_687, 3000)} || ' days')`,
  code: `printf('%08d', p)`,
  done: `${hash(67_867_967, 2)} = 1`,
  city: `'City ' || ${hash(86_028_121, 500)}`,
  score: hash(122_949_823, 1000),
  sku: `'SKU-' || ${hash(141_650_939, 1000)}`,
  qty: hash(160_481_183, 50),
} as const;

type Column = keyof typeof columns;
const scalars = (Object.keys(columns) as Column[]).filter((key) => key !== "sku" && key !== "qty");
const capitalisedColumns = new Set<Column>(["name", "city", "sku"]);

/** The form's ID in the database, and the stable IDs of its fields by key. */
export interface Target {
  collectionId: number;
  fieldIds: Record<string, number>;
}

/** Maps the keys of the fields and columns of a stored definition to their IDs. */
export function fieldIdsOf(
  definition: readonly {
    key: string;
    id: number;
    fields?: readonly { key: string; id: number }[];
  }[],
): Record<string, number> {
  const fieldsAndColumns = definition.flatMap((field) => [field, ...(field.fields ?? [])]);
  return Object.fromEntries(fieldsAndColumns.map(({ key, id }) => [key, id]));
}

/** Builds the statements that store the items `from` to `to` with their search entries. */
export function fillStatements({ collectionId, fieldIds }: Target, from: number, to: number) {
  const idOf = (key: string) => fieldIds[key] ?? 0;
  const pairs = scalars.map((key) => `'${idOf(key)}', ${jsonValue(key)}`);
  const line = `json_object('${idOf("sku")}', ${columns.sku}, '${idOf("qty")}', ${columns.qty})`;
  const data = `json_object(${pairs.join(", ")}, '${idOf("lines")}', json_array(${line}))`;
  const number = `${collectionId} * 4294967296 + p`;
  const entry = (field: number, value: string, folded = "null") =>
    `insert into search_entry select ${fieldNumber(collectionId, field)}, ${value}, ${number}, ${folded} from n`;
  const entries = (Object.keys(columns) as Column[]).map((key) => {
    const value = columns[key];
    return entry(idOf(key), value, capitalisedColumns.has(key) ? `lower(${value})` : "null");
  });
  const item = `insert into item (number, id, collection_id, receipt_number, status, version, definition_version,
    created_at, created_by, updated_at, updated_by, data) select ${number}, 'sub_' || printf('%026d', p), ${collectionId}, null, 'submitted', 1, 1,
    ${start} + p, 'system', ${start} + p, 'system', ${data} from n`;
  const system = [
    entry(systemFieldIds.status, "'submitted'"),
    entry(systemFieldIds.updatedAt, `${start} + p`),
  ];
  const sequences = `with recursive n(p) as (select ${from} union all select p + 1 from n where p < ${to})`;
  return [item, ...entries, ...system].map((sql) =>
    sql.replace(" select ", ` ${sequences} select `),
  );
}

/** Builds the statement that updates the collection's counters after `scale` items were stored. */
export function tallyStatement({ collectionId }: Target, scale: number): string {
  return `update tally set last_place = ${scale}, live = ${scale}, last_created_at = ${start + scale},
      largest = (select max(octet_length(data)) from item where collection_id = ${collectionId})
    where collection_id = ${collectionId}`;
}

/** The time of the first item. Each one is a millisecond younger than the one before. */
const start = Date.parse("2026-01-01T00:00:00Z");

function jsonValue(key: Column): string {
  if (key === "done") return `json(iif(${columns.done}, 'true', 'false'))`;
  return key === "due" ? `${columns.due} || 'Z'` : columns[key];
}

/** Builds the data of a create with 8 indexed fields. */
export function sentData(sequence: number) {
  return {
    name: `Person ${sequence % 50_000}`,
    department: `department ${sequence % 10}`,
    amount: (sequence * 7919) % 1_000_000,
    due: "2026-11-21",
    code: String(sequence).padStart(8, "0"),
    done: sequence % 2 === 0,
    city: `City ${sequence % 500}`,
    score: sequence % 1000,
  };
}
