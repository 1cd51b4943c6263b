import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { EdgeForms } from "edge-forms-client";

const { EDGE_FORMS_URL: url = "", EDGE_FORMS_TOKEN: token = "" } = process.env;
const remote = new EdgeForms({ url, token, retries: 20 }).records("parts");

// The local table. Every local change adds 1 to `revision`. `pushed` is the last revision that the service has.
const db = new DatabaseSync(process.argv[2] ?? "parts.db", { timeout: 5000 });
db.exec(`PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS parts (code TEXT PRIMARY KEY, name TEXT, stock INTEGER,
    revision INTEGER DEFAULT 1, pushed INTEGER DEFAULT 0);
  CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY, cursor TEXT, copy TEXT);
  INSERT OR IGNORE INTO place VALUES (1, NULL, hex(randomblob(8)));`);
const readPosition = db.prepare("SELECT cursor, copy FROM place");
const savePosition = db.prepare("UPDATE place SET cursor = ?");
const changes = db.prepare("SELECT code, name, stock, revision FROM parts WHERE revision > pushed");
const markPushed = db.prepare("UPDATE parts SET pushed = ? WHERE code = ?");
// Keeps local changes that are not pushed yet. The next push sends them.
const upsertRow = db.prepare(`INSERT INTO parts VALUES (?, ?, ?, 1, 1) ON CONFLICT DO
  UPDATE SET name = excluded.name, stock = excluded.stock WHERE revision = pushed`);
const applyRemote = ({ code, name, stock }: Row) => upsertRow.run(code, name, stock);
type Row = { code: string; name: string | null; stock: number | null };

// The first run copies all records. It then reads the feed from its start, which covers later changes.
if (readPosition.get()?.["cursor"] === null) {
  for await (const { data } of remote.list()) applyRemote(data as Row);
}
for (; ; await wait(1000)) {
  const { cursor, copy } = readPosition.get() as { cursor: string | null; copy: string };
  // Pull: stores each page together with its cursor in one transaction.
  for await (const page of remote.changes({ cursor }).pages()) {
    db.exec("BEGIN IMMEDIATE");
    for (const { item } of page.items) if (item) applyRemote(item.data as Row);
    savePosition.run(page.cursor);
    db.exec("COMMIT");
  }
  // Push: the unique `code` identifies the record, and the key makes retries of a change harmless.
  for (const { revision, ...row } of changes.all() as (Row & { revision: number })[]) {
    const key = `${copy}-${encodeURIComponent(row.code)}-${revision}`;
    const { item } = await remote.upsert("code", row, { key });
    db.exec("BEGIN IMMEDIATE");
    markPushed.run(revision, row.code);
    // Stores the current item, which another client may have changed before a retry.
    if (item) applyRemote(item.data as Row);
    db.exec("COMMIT");
  }
}
