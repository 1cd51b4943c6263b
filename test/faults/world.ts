import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { CollectionKind } from "../../src/domain/definition/collection.ts";
import type { Answer, Json } from "../support/client";
import { client, everything, freshKey, makeApp, makeForm, ownerCookie } from "../support/service";
import { askSteadily } from "./asking";
import { faulty, type Plan } from "./bindings";

/** What is there before anything fails, and what is made for one run alone. */
export interface World {
  /** Several, in turn: each one's object remembers the times of its calls. */
  bearers: string[];
  cookie: string;
  /** Keys of one that stays as it is; it holds three items, of which this is the first. */
  app: string;
  form: string;
  record: Json;
  submission: Json;
}

export const fields = [
  { key: "title", type: "text" },
  { key: "code", type: "text", unique: true },
  { key: "n", type: "number" },
  { key: "double", type: "computed", formula: "n * 2", result: "number" },
];

export async function makeWorld(): Promise<World> {
  const clients = await Promise.all(Array.from({ length: 8 }, () => client()));
  const [integrator = await client()] = clients;
  const [app, form] = [await makeApp(integrator, fields), await makeForm(integrator, fields)];
  const bearers = clients.map(({ bearer }) => bearer);
  const world = { bearers, cookie: await ownerCookie(), app, form };
  const empty = { ...world, record: undefined, submission: undefined };
  const [record, submission] = [await newItem(empty, "app"), await newItem(empty, "form")];
  for (const kind of ["app", "form", "app", "form"] as const) await newItem(empty, kind);
  return { ...world, record, submission };
}

let turn = 0;

export function bearerOf({ bearers }: World): { Authorization: string } {
  turn += 1;
  return { Authorization: `Bearer ${bearers[turn % bearers.length]}` };
}

/** Asks the API as its integrator, and nothing fails. */
export function api(world: World, method: string, path: string, body?: object): Promise<Answer> {
  const headers = bearerOf(world);
  return askSteadily(method, `/api/v1${path}`, { headers, ...(body ? { body } : {}) });
}

/** Asks the administration area as its owner, or as who has this cookie, and nothing fails. */
export function area(
  { cookie }: { cookie: string },
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  return askSteadily(method, `/admin${path}`, {
    headers: { Cookie: cookie },
    ...(body ? { body } : {}),
  });
}

export const itemsOf = (kind: CollectionKind) => (kind === "app" ? "records" : "submissions");

/** A word that stands nowhere else. */
export const word = () => freshKey("word");

export async function newItem(
  world: World,
  kind: CollectionKind,
  data: object = { title: word(), n: 1 },
  key = world[kind],
): Promise<Json> {
  return made(await api(world, "POST", `/${kind}s/${key}/${itemsOf(kind)}`, { data }));
}

/** A copy of the one that stays as it is, made by SQL, as hundreds are; this isolate has to read its definition. */
export async function newCollection(kind: CollectionKind, state = "open"): Promise<string> {
  const key = word();
  const settings =
    "name, description, time_zone, receipt_prefix, fields, fields_version, created_at, updated_at";
  const own = "FROM collection WHERE key = ?1 AND kind = ?2";
  const statements = [
    `INSERT INTO collection (kind, key, version, revision, state, ${settings})
      SELECT kind, ?1, 1, 1, '${state}', ${settings} FROM collection WHERE kind = ?2 ORDER BY id LIMIT 1`,
    `INSERT INTO tally (collection_id, last_place, live, last_created_at) SELECT id, 0, 0, 0 ${own}`,
    `INSERT INTO audit_entry (at, actor, action, collection_id, subject, version, request_id)
      SELECT 0, 'nobody', 'definition.create', id, kind || ':' || key, 1, '' ${own}`,
  ];
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql).bind(key, kind)));
  return key;
}

function made({ status, text, body }: Answer): Json {
  if (status !== 201) throw new Error(`Nothing was made: ${status} ${text}`);
  return body;
}

export async function newCredential(
  world: World,
  kind: "token" | "client" = "token",
): Promise<Json> {
  const chosen = { permissions: everything, resources: "all", expires: "30d" };
  return made(await area(world, "POST", "/integrations", { kind, name: word(), ...chosen }));
}

/** Lists of credentials ask the object of each: what was made for one run does not stay there. */
export async function forget(name: string): Promise<void> {
  await env.DB.prepare("UPDATE credential SET revoked_at = 1 WHERE name = ?").bind(name).run();
}

export async function canSignIn(email: string, password: string): Promise<boolean> {
  const { status } = await askSteadily("POST", "/admin/sign-in", { body: { email, password } });
  return status === 200;
}

/** Whether a member has another password than the one it was made with, without the time that trying it takes. */
export async function hasNewPassword(id: string): Promise<boolean> {
  const found = await env.DB.prepare("SELECT password FROM member WHERE id = ?")
    .bind(id)
    .first<{ password: string }>();
  return found !== null && !found.password.startsWith("scrypt$2$");
}

/** How many items have this title. */
export async function countOf(title: string): Promise<number> {
  const found = await env.DB.prepare("SELECT count(*) n FROM item WHERE data ->> '1' = ?")
    .bind(title)
    .first<{ n: number }>();
  return found?.n ?? 0;
}

/** More items than one step of a download takes, each like the first one of the form. */
export async function manyItems({ form }: World, count: number): Promise<() => Promise<void>> {
  const first = `SELECT i.* FROM item i JOIN collection c ON c.id = i.collection_id
    WHERE c.kind = 'form' AND c.key = ?1 ORDER BY number LIMIT 1`;
  await env.DB.prepare(
    `WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < ?2)
      INSERT INTO item (number, id, collection_id, status, version,
        definition_version, created_at, created_by, updated_at, updated_by, data)
        SELECT i.number + 1000000 + n, 'copy ' || n, i.collection_id, i.status, 1,
          i.definition_version, i.created_at, i.created_by, i.updated_at, i.updated_by, i.data FROM (${first}) i, more`,
  )
    .bind(form, count)
    .run();
  return async () => void (await env.DB.exec("DELETE FROM item WHERE id LIKE 'copy %'"));
}

/** Has the object of a credential ask a database on which calls go wrong. */
export async function troubleObject(id: string, plan: Plan): Promise<void> {
  const { bindings } = faulty(env, plan);
  await runInDurableObject(env.GATE.getByName(id), (gate) =>
    Object.assign(gate, { env: bindings }),
  );
}

/** As before the first owner was made. */
export async function nobodyIsThere(): Promise<void> {
  await env.DB.batch(
    ["session", "known_address", "member"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  );
}
