import { updateListenedColumns } from "../../src/store/home/listened.ts";
import { assertEqual, type PreparedCall } from "./routes";
import { newCollection, newWord } from "./world";
import { databases, homeDb } from "../support/databases";

/** A webhook for an app without writes. Delete it after use with `deleteWebhook`: the service allows 100. */
export async function newWebhookBody() {
  const collections = [`app:${await newCollection("app")}`];
  return {
    name: newWord(),
    url: "https://receiver.example/hook",
    types: ["record.created"],
    collections,
  };
}

/** A POST of a webhook, which must create exactly one. */
export async function webhookToPost(): Promise<PreparedCall> {
  const body = await newWebhookBody();
  return {
    path: "/webhooks",
    body,
    verifyDone: async () => assertEqual(await countWebhooks(body.name), 1),
    verifyAfter503: async () => assertEqual((await countWebhooks(body.name)) <= 1, true),
    cleanUp: () => deleteWebhook(body.name),
  };
}

async function countWebhooks(name: string): Promise<number> {
  const row = await homeDb
    .prepare("SELECT count(*) n FROM webhook WHERE name = ?")
    .bind(name)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

export async function deleteWebhook(name: string): Promise<void> {
  const listened = `UPDATE collection SET listened = 0 WHERE kind || ':' || key IN
    (SELECT j.value FROM webhook w, json_each(w.collections) j WHERE w.name = ?)`;
  // One batch, because other tests check all flags at any moment.
  await homeDb.batch(
    [...(databases.singleDatabase ? [listened] : []), "DELETE FROM webhook WHERE name = ?"].map(
      (sql) => homeDb.prepare(sql).bind(name),
    ),
  );
  await updateListenedColumns(databases);
}
