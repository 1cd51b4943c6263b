import { DatabaseSync } from "node:sqlite";
import { fieldIdsOf, fields, fillStatements, tallyStatement } from "../../../bench/fill.ts";
import { collectionDigits } from "../../../src/domain/item/item.ts";
import { fieldNumber } from "../../../src/domain/data/values.ts";

/** The form that moves, with the app to which it refers, and its items from before the move. */

export const formKey = "big";
export const appKey = "linked";
export const receiptPrefix = "LNK-";
/** Two of the ten fields are searchable, so that a million items take minutes. */
export const searchableKeys = ["code", "score"];
const unsearchable = (column: object) => ({ ...column, searchable: false });
export const formDefinition = {
  name: "Big",
  fields: [
    ...fields.map((field) => ({
      ...field,
      searchable: searchableKeys.includes(field.key),
      ...(field.key === "code" ? { unique: true } : {}),
      ...("fields" in field ? { fields: field.fields.map(unsearchable) } : {}),
    })),
    { key: "linked", type: "reference", app: appKey },
  ],
};
export const appDefinition = {
  name: "Linked",
  receipt_prefix: receiptPrefix,
  fields: [{ key: "code", type: "text" }],
};

export interface Form {
  id: number;
  /** The stable IDs of fields and columns by key. */
  fieldIds: Record<string, number>;
  /** What unique values of `code` are stored under. */
  uniqueField: number;
}

interface StoredField {
  key: string;
  id: number;
  uniqueId?: number;
}

export const filledId = ({ id }: Form, place: number) =>
  `sub_0123456789${collectionDigits(id)}${String(place).padStart(10, "0")}`;
export const filledCode = (place: number) => String(place).padStart(8, "0");

const itemsPerStep = 10_000;

/** Stores items as the service would have. The service must not run. */
export function fill(file: string, count: number): Form {
  const db = new DatabaseSync(file);
  const row = db.prepare("select id, fields from collection where key = ?").get(formKey);
  const id = Number(row?.["id"]);
  const stored = JSON.parse(String(row?.["fields"])) as { fields: StoredField[] };
  const fieldIds = fieldIdsOf(stored.fields);
  const uniqueId = stored.fields.find(({ key }) => key === "code")?.uniqueId ?? 0;
  const form: Form = { id, fieldIds, uniqueField: fieldNumber(id, uniqueId) };
  const others = Object.entries(fieldIds).filter(([key]) => !searchableKeys.includes(key));
  const numbers = others.map(([, fieldId]) => fieldNumber(id, fieldId)).join("|");
  const isOther = new RegExp(`^insert into search_entry .* select (${numbers}),`);
  db.exec("pragma synchronous = off; pragma cache_size = -1000000; begin");
  for (let from = 1; from <= count; from += itemsPerStep) {
    const to = Math.min(from + itemsPerStep - 1, count);
    for (const sql of fillStatements({ collectionId: id, fieldIds }, from, to))
      if (!isOther.test(sql)) db.exec(sql);
  }
  const place = `number - ${id} * 4294967296`;
  db.exec(
    `update item set id = '${filledId(form, 0).slice(0, 20)}' || printf('%010d', ${place}) where collection_id = ${id}`,
  );
  db.exec(`insert into unique_value select ${form.uniqueField}, value, item from search_entry
    where field = ${fieldNumber(id, fieldIds["code"] ?? 0)}`);
  db.exec(tallyStatement({ collectionId: id, fieldIds }, count));
  db.exec("commit; pragma wal_checkpoint(truncate)");
  db.close();
  return form;
}
