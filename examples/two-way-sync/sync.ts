import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { EdgeForms } from "edge-forms-client";

const { EDGE_FORMS_URL: url = "", EDGE_FORMS_TOKEN: token = "" } = process.env;
const theirs = new EdgeForms({ url, token, retries: 20 }).records("parts");

// Our side: a table. Whoever changes a row adds 1 to its `revision`; `pushed` is the one that they have.
const ours = new DatabaseSync(process.argv[2] ?? "parts.db", { timeout: 5000 });
ours.exec(`PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS parts (code TEXT PRIMARY KEY, name TEXT, stock INTEGER,
    revision INTEGER DEFAULT 1, pushed INTEGER DEFAULT 0);
  CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY, cursor TEXT, copy TEXT);
  INSERT OR IGNORE INTO place VALUES (1, NULL, hex(randomblob(8)));`);
const place = ours.prepare("SELECT cursor, copy FROM place");
const keep = ours.prepare("UPDATE place SET cursor = ?");
const news = ours.prepare("SELECT code, name, stock, revision FROM parts WHERE revision > pushed");
const settle = ours.prepare("UPDATE parts SET pushed = ? WHERE code = ?");
// What we changed and have not told yet stays: they are told next.
const insert = ours.prepare(`INSERT INTO parts VALUES (?, ?, ?, 1, 1) ON CONFLICT DO
  UPDATE SET name = excluded.name, stock = excluded.stock WHERE revision = pushed`);
const take = ({ code, name, stock }: Row) => insert.run(code, name, stock);
type Row = { code: string; name: string | null; stock: number | null };

// The first time: all that is there, and then what happened since before that.
if (place.get()?.["cursor"] === null) {
  for await (const { data } of theirs.list()) take(data as Row);
}
for (; ; await wait(1000)) {
  const { cursor, copy } = place.get() as { cursor: string | null; copy: string };
  // Theirs to ours: a page and the cursor behind it are kept together, or neither.
  for await (const page of theirs.changes({ cursor }).pages()) {
    ours.exec("BEGIN IMMEDIATE");
    for (const { item } of page.items) if (item) take(item.data as Row);
    keep.run(page.cursor);
    ours.exec("COMMIT");
  }
  // Ours to theirs: `code` is unique, and a key makes each change happen once, however often it is sent.
  for (const { revision, ...row } of news.all() as (Row & { revision: number })[]) {
    const key = `${copy}-${encodeURIComponent(row.code)}-${revision}`;
    const { item } = await theirs.upsert("code", row, { key });
    ours.exec("BEGIN IMMEDIATE");
    settle.run(revision, row.code);
    // As it is there by now: somebody may have changed it before it was sent again.
    if (item) take(item.data as Row);
    ours.exec("COMMIT");
  }
}
