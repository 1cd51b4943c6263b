import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { file, token } from "./env.mjs";

mkdirSync(dirname(file), { recursive: true });
for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
const cli = fileURLToPath(import.meta.resolve("@directus/api/cli/run.js"));
const { status } = spawnSync(process.execPath, [cli, "bootstrap"], { stdio: "inherit" });
if (status !== 0) process.exit(1);
new DatabaseSync(file).exec("PRAGMA journal_mode = WAL");

const { createServer } = await import("@directus/api/server");
const server = await createServer();
await new Promise((done) => server.listen(0, "127.0.0.1", done));

const field = (name, type, schema = {}, meta = {}) => ({ field: name, type, schema, meta });
const indexed = { is_indexed: true };
const response = await fetch(`http://127.0.0.1:${server.address().port}/collections`, {
  method: "POST",
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: JSON.stringify({
    collection: "submissions",
    meta: { accountability: null }, // no activity, no revisions
    schema: {},
    fields: [
      field("id", "integer", { is_primary_key: true, has_auto_increment: true }),
      field("title", "string"),
      field("customer", "string"),
      field("email", "string"),
      field("department", "string", indexed),
      field("amount", "float", indexed),
      field("quantity", "integer"),
      field("due", "date", indexed),
      field("priority", "string"),
      field("note", "text"),
      field("done", "boolean", {}, { special: ["cast-boolean"] }),
    ],
  }),
});
if (!response.ok) throw new Error(await response.text());
process.exit(0);
