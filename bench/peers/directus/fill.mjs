import { DatabaseSync } from "node:sqlite";
import { rows } from "../rows.mjs";
import { file } from "./env.mjs";

const database = new DatabaseSync(file);
const insert = database.prepare(`INSERT INTO submissions
  (title, customer, email, department, amount, quantity, due, priority, note, done)
  VALUES (:title, :customer, :email, :department, :amount, :quantity, :due, :priority, :note, :done)`);
database.exec("BEGIN");
for (const row of rows(Number(process.argv[2] ?? 1000))) {
  insert.run({ ...row, due: Date.parse(row.due), done: Number(row.done) });
}
database.exec("COMMIT");
database.close();
