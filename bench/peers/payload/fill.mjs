import { DatabaseSync } from "node:sqlite";
import { rows } from "../rows.mjs";
import { file } from "./env.mjs";

const count = Number(process.argv[2] ?? 1000);
const database = new DatabaseSync(file);
const insert = database.prepare(`INSERT INTO submissions
  (title, customer, email, department, amount, quantity, due, priority, note, done, created_at, updated_at)
  VALUES (:title, :customer, :email, :department, :amount, :quantity, :due, :priority, :note, :done, :now, :now)`);
let time = Date.now() - count * 1000;
database.exec("BEGIN");
for (const row of rows(count)) {
  const now = new Date((time += 1000)).toISOString();
  insert.run({ ...row, due: `${row.due}T00:00:00.000Z`, done: Number(row.done), now });
}
database.exec("COMMIT");
database.close();
