import { env } from "cloudflare:workers";
import { agree, type Prepared } from "./routes";
import { newCollection, word } from "./world";

/** A webhook of an app that nobody writes to; there may be 100 of them, so each goes again: `forgetWebhook`. */
export async function newWebhookBody() {
  const collections = [`app:${await newCollection("app")}`];
  return {
    name: word(),
    url: "https://receiver.example/hook",
    types: ["record.created"],
    collections,
  };
}

/** What POST is sent, and how many there are behind it. */
export async function posted(): Promise<Prepared> {
  const body = await newWebhookBody();
  return {
    path: "/webhooks",
    body,
    done: async () => agree(await webhooksNamed(body.name), 1),
    unknown: async () => agree((await webhooksNamed(body.name)) <= 1, true),
    after: () => forgetWebhook(body.name),
  };
}

async function webhooksNamed(name: string): Promise<number> {
  const found = await env.DB.prepare("SELECT count(*) n FROM webhook WHERE name = ?")
    .bind(name)
    .first<{ n: number }>();
  return found?.n ?? 0;
}

export async function forgetWebhook(name: string): Promise<void> {
  const statements = [
    `UPDATE collection SET listened = 0 WHERE kind || ':' || key IN
      (SELECT j.value FROM webhook w, json_each(w.collections) j WHERE w.name = ?)`,
    "DELETE FROM webhook WHERE name = ?",
  ];
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql).bind(name)));
}
