import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { fieldNumber, systemFieldIds } from "../../../src/domain/data/values.ts";
import { sequencesPerCollection } from "../../../src/domain/item/item.ts";
import { movedTables } from "../../../src/store/db/moved-tables.ts";
import { appKey, receiptPrefix, searchableKeys, type Form } from "./filling.ts";
import { Fault, type Expected, type Traffic } from "./traffic.ts";

/** The databases after the move, as files. The service must not run. */
export interface Files {
  target: string;
  source: string;
  /** The source before any request. */
  base: string;
}

type Row = Record<string, string | number | null>;

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected))
    throw new Fault(`${what}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
}

/** Compares everything that the form has with what acknowledged writes make of its first state. */
export class Comparison {
  readonly #db: DatabaseSync;
  readonly #form: Form;
  readonly #filled: number;
  readonly #items: readonly Expected[];

  readonly #records: ReadonlyMap<string, string>;
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(files: Files, form: Form, filled: number, { items, records }: Traffic) {
    this.#db = new DatabaseSync(files.target);
    this.#db.exec(`pragma cache_size = -1000000; pragma temp_store = memory;
      attach '${files.source}' as source; attach '${files.base}' as base;
      create temp table touched (number integer primary key)`);
    this.#form = form;
    this.#filled = filled;
    this.#items = [...items.values()].filter(
      ({ version, isDeleted, key }) => key !== undefined || isDeleted || version > 1,
    );
    this.#records = records;
    const written = this.#rows("select distinct item_id, item from change");
    this.#numbers = new Map(written.map((row) => [String(row["item_id"]), Number(row["item"])]));
    const insert = this.#db.prepare("insert into temp.touched values (?)");
    for (const item of this.#items) insert.run(this.#numberOf(item));
  }

  #rows(sql: string, ...values: (string | number)[]): Row[] {
    return this.#db.prepare(sql).all(...values) as Row[];
  }

  #value(sql: string): unknown {
    const [row = {}] = this.#rows(sql);
    return Object.values(row)[0];
  }

  #numberOf({ id }: Expected): number {
    const number = this.#numbers.get(id);
    if (number === undefined) throw new Fault(`${id} has no change.`);
    return number;
  }

  /** Returns how many rows were compared. */
  run(): { unchanged: number; rows: number; written: number } {
    this.#compareCounters();
    this.#compareRecords();
    this.#compareOwners();
    this.#compareChanges();
    this.#compareWritten();
    const rows = ["item", "search_entry", "unique_value"].map((name) => this.#compareRest(name));
    this.#db.close();
    return {
      unchanged: rows[0] ?? 0,
      rows: rows.reduce((sum, count) => sum + count, 0),
      written: this.#items.length,
    };
  }

  #compareCounters(): void {
    const created = this.#items.filter(({ key }) => key !== undefined);
    const deleted = this.#items.filter(({ isDeleted }) => isDeleted);
    const first = this.#form.id * sequencesPerCollection;
    const places = created.map((item) => this.#numberOf(item) - first).toSorted((a, b) => a - b);
    const expectedPlaces = created.map((_, index) => this.#filled + 1 + index);
    expectEqual("Numbers of items", places, expectedPlaces);
    const live = this.#filled + created.length - deleted.length;
    const { id } = this.#form;
    expectEqual(
      "Items",
      this.#value(`select count(*) from item where collection_id = ${id}`),
      live,
    );
    const [tally] = this.#rows(`select live, last_place from tally where collection_id = ${id}`);
    expectEqual("Counters", { ...tally }, { live, last_place: this.#filled + created.length });
    const replays = this.#rows("select item_id, count(*) as count from replay group by item_id");
    const keysOf = new Map(replays.map(({ item_id: itemId, count }) => [itemId, count]));
    for (const { id: itemId } of created) expectEqual(`Keys of ${itemId}`, keysOf.get(itemId), 1);
  }

  /** The app has all records in one sequence. */
  #compareRecords(): void {
    const rows = this.#rows(
      `select receipt_number, id from item where collection_id = (select id from collection where key = ?)
        order by number`,
      appKey,
    );
    const stored = rows.map((row) => [row["receipt_number"], row["id"]]);
    const expected = [...this.#records].toSorted(([a], [b]) => (a < b ? -1 : 1));
    expectEqual("Records", stored, expected);
    const receipts = expected.map(([receipt]) => Number(receipt.slice(receiptPrefix.length)));
    expectEqual(
      "Receipt numbers",
      receipts,
      receipts.map((_, index) => index + 1),
    );
  }

  #compareOwners(): void {
    const { id } = this.#form;
    const owners = (schema: string) =>
      this.#rows(`select state from ${schema}.owner where collection_id = ${id}`)[0]?.["state"];
    expectEqual("Owners", [owners("main"), owners("source")], ["owned", "moved"]);
    const places = this.#rows(
      `select database, moving from source.placement where collection_id = ${id}`,
    );
    expectEqual("Placement", { ...places[0] }, { database: "DATA_01", moving: 0 });
    for (const schema of ["main", "source"]) {
      const trigger = `select count(*) from ${schema}.sqlite_schema where type = 'trigger'`;
      expectEqual(`Triggers of ${schema}`, this.#value(trigger), 0);
      for (const table of ["move_log", "moving"])
        expectEqual(
          `Rows of ${schema}.${table}`,
          this.#value(`select count(*) from ${schema}.${table}`),
          0,
        );
    }
    const copies = `select count(*) from source.collection where abs(id) = ${id}`;
    expectEqual("Definitions of the source", this.#value(copies), 0);
  }

  #compareChanges(): void {
    const first = this.#form.id * sequencesPerCollection;
    const rows = this.#rows(
      `select number, item_id, action, version from change
        where number > ? and number < ? order by number`,
      first,
      first + sequencesPerCollection,
    );
    const numbers = rows.map(({ number }) => Number(number) - first);
    const consecutive = numbers.map((_, index) => (numbers[0] ?? 0) + index);
    expectEqual("Numbers of changes", numbers, consecutive);
    const count = this.#items.reduce((sum, { changes }) => sum + changes.length, 0);
    expectEqual("Changes", rows.length, count);
    const stored = Map.groupBy(rows, ({ item_id: itemId }) => String(itemId));
    for (const { id, changes } of this.#items) {
      const actions =
        stored.get(id)?.map(({ action }) => String(action).replace(/^.*\./, "")) ?? [];
      const expected = changes.map((change) => change.replace(/d$/, ""));
      expectEqual(`Changes of ${id}`, actions, expected);
    }
  }

  /** The items that were written, with their entries and unique values. */
  #compareWritten(): void {
    const entries = Map.groupBy(
      this.#rows(
        "select field, value, folded, item from search_entry where item in (select number from temp.touched)",
      ),
      ({ item }) => Number(item),
    );
    const uniques = Map.groupBy(
      this.#rows(
        "select field, value, item from unique_value where item in (select number from temp.touched)",
      ),
      ({ item }) => Number(item),
    );
    for (const item of this.#items) {
      const number = this.#numberOf(item);
      const [row] = this.#rows("select * from item where number = ?", number);
      const found = {
        item: row && [row["id"], row["version"], row["status"], row["updated_at"]],
        data: row && JSON.parse(String(row["data"])),
        entries: (entries.get(number) ?? []).map(textOf).toSorted(),
        unique: (uniques.get(number) ?? []).map(({ field, value }) => [field, value]),
      };
      expectEqual(`The item ${item.id}`, found, this.#expectedRows(item, number));
    }
  }

  #expectedRows(item: Expected, number: number) {
    if (item.isDeleted) return { item: undefined, data: undefined, entries: [], unique: [] };
    const { id: formId, fieldIds, uniqueField } = this.#form;
    const updatedAt = Date.parse(item.updatedAt);
    const [base] = this.#rows("select data from base.item where number = ?", number);
    const data: Record<string, unknown> = base ? JSON.parse(String(base["data"])) : {};
    for (const [key, value] of Object.entries(item.data))
      data[String(fieldIds[key])] = key === "due" ? `${String(value)}Z` : value;
    const entry = (fieldId: number, value: string | number) => {
      const folded = String(value).toLowerCase();
      const isFolded = typeof value === "string" && folded !== value;
      return { field: fieldNumber(formId, fieldId), value, folded: isFolded ? folded : null };
    };
    const entries = searchableKeys.map((key) => {
      const fieldId = fieldIds[key] ?? 0;
      return entry(fieldId, data[String(fieldId)] as string | number);
    });
    return {
      item: [item.id, item.version, "submitted", updatedAt],
      data,
      entries: [
        ...entries,
        entry(systemFieldIds.status, "submitted"),
        entry(systemFieldIds.updatedAt, updatedAt),
      ]
        .map(textOf)
        .toSorted(),
      unique: [[uniqueField, data[String(fieldIds["code"])]]],
    };
  }

  /** Everything else is as it was before the move. Returns the number of rows. */
  #compareRest(name: string): number {
    const table = movedTables().find((each) => each.name === name);
    if (!table) throw new Error(`No ${name} moves.`);
    const itemColumn = name === "item" ? "number" : "item";
    const width =
      table.span === "number" && name !== "item" ? fieldNumber(1, 0) : sequencesPerCollection;
    const first = this.#form.id * width;
    const isRest = (alias: string) =>
      `${alias}.${table.column} >= ${first} and ${alias}.${table.column} < ${first + width}
        and ${alias}.${itemColumn} not in (select number from temp.touched)`;
    const isSame = table.columns.map((column) => `t."${column}" is b."${column}"`).join(" and ");
    const isKey = table.key.map((column) => `t."${column}" = b."${column}"`).join(" and ");
    const count = (sql: string) => Number(this.#value(`select count(*) from ${sql}`));
    const stored = count(`main.${name} t where ${isRest("t")}`);
    const before = count(`base.${name} b where ${isRest("b")}`);
    const equal = count(
      `base.${name} b cross join main.${name} t on ${isKey} where ${isRest("b")} and ${isSame}`,
    );
    expectEqual(`Rows of ${name} as before the move`, [stored, equal], [before, before]);
    return stored;
  }
}

const textOf = ({ field, value, folded }: Row) => JSON.stringify([field, value, folded]);
