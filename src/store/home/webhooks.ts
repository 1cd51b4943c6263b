import { and, asc, count, eq, getTableColumns, ne, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Webhook, WebhookSecret, WebhookType } from "#domain/webhook/webhook.ts";
import { selectReachable, type Reachable } from "./credential-lists.ts";
import { actTime, type Act } from "./audit.ts";
import { attempt, once } from "#store/db/retry.ts";
import { auditEntry, collection, webhook } from "#store/db/schema.ts";
import { pick, statement } from "#store/db/statement.ts";
import type { Starts } from "./listeners.ts";

type Stored = typeof webhook.$inferSelect;
type Row = Omit<Stored, "starts">;

const { starts: _, ...columns } = getTableColumns(webhook);

function webhookOf(row: Row): Webhook {
  return {
    ...row,
    state: row.state as Webhook["state"],
    types: JSON.parse(row.types) as WebhookType[],
    collections: JSON.parse(row.collections) as Webhook["collections"],
    secrets: JSON.parse(row.secrets) as WebhookSecret[],
  };
}

const live = ne(webhook.state, "deleted");

export async function findWebhook(db: D1Database, id: string): Promise<Webhook | undefined> {
  const [row] = await attempt(() =>
    drizzle(db)
      .select(columns)
      .from(webhook)
      .where(and(eq(webhook.id, id), live)),
  );
  return row && webhookOf(row);
}

const makerName = sql<string | null>`case when ${webhook.maker} like 'member:%'
    then (select email from member where id = substr(${webhook.maker}, 8))
    else (select name from credential where id = substr(${webhook.maker}, 12)) end`;

function selectWithMaker(db: D1Database, id: string) {
  return drizzle(db)
    .select({ hook: columns, makerName })
    .from(webhook)
    .where(and(eq(webhook.id, id), live));
}

/** With its maker's e-mail or name; null where that one is gone. */
interface WithMaker {
  hook: Webhook;
  makerName: string | null;
}

/** A webhook with the name of its maker, in one trip. */
export async function findWebhookWithMaker(
  db: D1Database,
  id: string,
): Promise<WithMaker | undefined> {
  const [row] = await attempt(() => selectWithMaker(db, id));
  return row && { ...row, hook: webhookOf(row.hook) };
}

/** The same, with all that it could listen to. */
export async function findWebhookWithReachable(
  db: D1Database,
  id: string,
): Promise<(WithMaker & { reachable: Reachable[] }) | undefined> {
  const [[row], reachable] = await attempt(() =>
    drizzle(db).batch([selectWithMaker(db, id), selectReachable(db)]),
  );
  return row && { ...row, hook: webhookOf(row.hook), reachable };
}

/** All of them, in the order in which they were made: there are few. */
export async function listWebhooks(db: D1Database): Promise<Webhook[]> {
  const rows = await attempt(() =>
    drizzle(db).select(columns).from(webhook).where(live).orderBy(asc(webhook.id)),
  );
  return rows.map(webhookOf);
}

/** Only where the statement before it did something: what is not done is not told. */
const insertActOfChange = statement<Act>((db, v) =>
  db.insert(auditEntry).select(
    sql`select null, ${actTime(v.at)}, ${v.actor}, ${v.action}, ${v.collectionId}, ${v.subject}, ${v.version},
        ${v.session}, ${v.requestId}, ${v.sentRequestId} where changes() > 0`,
  ),
);

const listening = sql`iif(exists (select 1 from webhook where state = 'active' and collections = '"all"'), 1,
  kind || ':' || key in (select j.value from webhook w, json_each(w.collections) j where w.state = 'active'))`;

/** Each collection's row says whether some webhook listens. */
const tellCollections = statement((db) =>
  db
    .update(collection)
    .set({ listened: listening })
    .where(sql`listened <> ${listening}`),
);

const changed = [
  "name",
  "url",
  "types",
  "collections",
  "include",
  "state",
  "reason",
  "secrets",
  "maker",
  "updatedAt",
] as const;

/** In the order of the table. */
const stored = Object.keys(getTableColumns(webhook)) as (keyof Stored)[];

const insert = statement<Stored & { most: number }>((db, v) =>
  db
    .insert(webhook)
    .select(
      sql`select ${sql.join(
        stored.map((name) => v[name]),
        sql`, `,
      )} where (select count(*) from webhook where state <> 'deleted') < ${v.most}`,
    )
    .onConflictDoNothing(),
);

const update = statement<Omit<Stored, "starts"> & { starts: string | null }>((db, v) =>
  db
    .update(webhook)
    .set({
      ...pick(v, changed),
      version: sql`version + 1`,
      starts: sql`coalesce(${v.starts}, starts)`,
    })
    .where(and(eq(webhook.id, v.id), eq(webhook.version, v.version), live)),
);

function rowOf(hook: Webhook) {
  const { types, collections, secrets } = hook;
  return {
    ...hook,
    types: JSON.stringify(types),
    collections: JSON.stringify(collections),
    secrets: JSON.stringify(secrets),
  };
}

/** False, with nothing stored, where there are as many as there may be. Sent again it is done once. */
export async function insertWebhook(
  db: D1Database,
  hook: Webhook,
  starts: Starts,
  most: number,
  act: Act,
): Promise<boolean> {
  const values = { ...rowOf(hook), starts: JSON.stringify(starts), most };
  await attempt(() =>
    db.batch([insert(db, values), insertActOfChange(db, act), tellCollections(db, {})]),
  );
  const found = await attempt(() =>
    drizzle(db).select({ n: count() }).from(webhook).where(eq(webhook.id, hook.id)),
  );
  return (found[0]?.n ?? 0) > 0;
}

/** False, with nothing stored, where somebody else changed or deleted it since it was read at `hook.version`. */
export async function updateWebhook(
  db: D1Database,
  hook: Webhook,
  starts: Starts | null,
  act: Act,
): Promise<boolean> {
  const values = { ...rowOf(hook), starts: starts && JSON.stringify(starts) };
  const [updated] = await once(() =>
    db.batch([update(db, values), insertActOfChange(db, act), tellCollections(db, {})]),
  );
  return (updated?.meta.changes ?? 0) > 0;
}

const markDeleted = statement<{ id: string; version: number }>((db, v) =>
  db
    .update(webhook)
    .set({ state: "deleted", version: sql`version + 1`, secrets: "[]" })
    .where(and(eq(webhook.id, v.id), eq(webhook.version, v.version), live)),
);

/** Ends it; its row stays until its object has forgotten it. False where somebody else changed it since. */
export async function deleteWebhook(
  db: D1Database,
  { id, version }: Pick<Webhook, "id" | "version">,
  act: Act,
): Promise<boolean> {
  const [marked] = await once(() =>
    db.batch([
      markDeleted(db, { id, version }),
      insertActOfChange(db, act),
      tellCollections(db, {}),
    ]),
  );
  return (marked?.meta.changes ?? 0) > 0;
}
