import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { CollectionKind } from "../../src/domain/definition/collection.ts";
import type { Answer, Json } from "../support/client";
import { client, everything, freshKey, makeApp, makeForm, ownerCookie } from "../support/service";
import { Gate } from "../../src/gate/gate.ts";
import { serviceWith } from "../support/serve";
import { ownBindings, sendReliably } from "./client";
import { makeFaulty, type Plan } from "./bindings";
import { dataDb, homeDb, placeCollections } from "../support/databases";

/** The data that all calls share. Calls that change data create their own. */
export interface World {
  /** Several tokens, used in turn, since the object of each records all its calls. */
  bearers: string[];
  cookie: string;
  /** Collections that no call changes, with three items each. `record` and `submission` are the first ones. */
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
  // Lists of one app or form always have a next page, whatever other routes create meanwhile.
  for (const kind of ["app", "form"] as const) await newCollection(kind);
  // The first sign-in page of an isolate checks that the tables exist.
  await sendReliably("GET", "/admin/sign-in", {});
  return { ...world, record, submission };
}

let callCount = 0;

export function bearerOf({ bearers }: World): { Authorization: string } {
  callCount += 1;
  return { Authorization: `Bearer ${bearers[callCount % bearers.length]}` };
}

/** Calls the API as an integrator, without faults. */
export function callApi(
  world: World,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = bearerOf(world);
  return sendReliably(method, `/api/v1${path}`, { headers, ...(body ? { body } : {}) });
}

/** Calls the administration with this session cookie, without faults. */
export function callAdmin(
  { cookie }: { cookie: string },
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  return sendReliably(method, `/admin${path}`, {
    headers: { Cookie: cookie },
    ...(body ? { body } : {}),
  });
}

export const itemsOf = (kind: CollectionKind) => (kind === "app" ? "records" : "submissions");

/** A word that no other call uses. */
export const newWord = () => freshKey("word");

export async function newItem(
  world: World,
  kind: CollectionKind,
  data: object = { title: newWord(), n: 1 },
  key = world[kind],
): Promise<Json> {
  return createdBody(await callApi(world, "POST", `/${kind}s/${key}/${itemsOf(kind)}`, { data }));
}

/** Copies the shared collection by SQL, which is fast. The isolate has not cached the definition of the copy. */
export async function newCollection(kind: CollectionKind, state = "open"): Promise<string> {
  const key = newWord();
  const settings =
    "name, description, time_zone, receipt_prefix, fields, fields_version, created_at, updated_at";
  const nextId =
    "(SELECT 1 + max((SELECT max(id) FROM collection), (SELECT coalesce(max(collection_id), 0) FROM deletion)))";
  const fromCopy = "FROM collection WHERE key = ?1 AND kind = ?2";
  const statements = [
    `INSERT INTO collection (id, kind, key, version, revision, state, ${settings})
      SELECT ${nextId}, kind, ?1, 1, 1, '${state}', ${settings} FROM collection WHERE kind = ?2 AND id > 0 ORDER BY id LIMIT 1`,
    `INSERT INTO tally (collection_id, last_place, live, last_created_at) SELECT id, 0, 0, 0 ${fromCopy}`,
    `INSERT INTO audit_entry (at, actor, action, collection_id, subject, version, request_id)
      SELECT 0, 'nobody', 'definition.create', id, kind || ':' || key, 1, '' ${fromCopy}`,
  ];
  await dataDb.batch(statements.map((sql) => dataDb.prepare(sql).bind(key, kind)));
  await placeCollections();
  return key;
}

function createdBody({ status, text, body }: Answer): Json {
  if (status !== 201) throw new Error(`The create failed: ${status} ${text}`);
  return body;
}

export async function newCredential(
  world: World,
  kind: "token" | "client" = "token",
): Promise<Json> {
  const access = { permissions: everything, resources: "all", expires: "30d" };
  return createdBody(
    await callAdmin(world, "POST", "/integrations", { kind, name: newWord(), ...access }),
  );
}

/** Revokes a credential, so that later lists of credentials do not call its object. */
export async function revokeCredential(name: string): Promise<void> {
  await homeDb.prepare("UPDATE credential SET revoked_at = 1 WHERE name = ?").bind(name).run();
}

export async function canSignIn(email: string, password: string): Promise<boolean> {
  const { status } = await sendReliably("POST", "/admin/sign-in", { body: { email, password } });
  return status === 200;
}

/** Whether the member has changed the password. Faster than a sign-in, which hashes it. */
export async function hasNewPassword(id: string): Promise<boolean> {
  const row = await homeDb
    .prepare("SELECT password FROM member WHERE id = ?")
    .bind(id)
    .first<{ password: string }>();
  return row !== null && !row.password.startsWith("scrypt$2$");
}

/** Counts the items with this title. */
export async function countItems(title: string): Promise<number> {
  const row = await dataDb
    .prepare("SELECT count(*) n FROM item WHERE data ->> '1' = ?")
    .bind(title)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

/** Copies the first item of the form `count` times, for downloads with several steps. Returns a function that deletes the copies. */
export async function insertItems({ form }: World, count: number): Promise<() => Promise<void>> {
  const first = `SELECT i.* FROM item i JOIN collection c ON c.id = i.collection_id
    WHERE c.kind = 'form' AND c.key = ?1 ORDER BY number LIMIT 1`;
  await dataDb
    .prepare(
      `WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < ?2)
      INSERT INTO item (number, id, collection_id, status, version,
        definition_version, created_at, created_by, updated_at, updated_by, data)
        SELECT i.number + 1000000 + n, 'copy ' || n, i.collection_id, i.status, 1,
          i.definition_version, i.created_at, i.created_by, i.updated_at, i.updated_by, i.data FROM (${first}) i, more`,
    )
    .bind(form, count)
    .run();
  return async () => void (await dataDb.exec("DELETE FROM item WHERE id LIKE 'copy %'"));
}

/** Gives the object of a credential bindings that fail as `plan` says. */
export async function setObjectFaults(id: string, plan: Plan): Promise<void> {
  const service = serviceWith(makeFaulty(ownBindings(), plan).bindings);
  await runInDurableObject(env.GATE.getByName(id), (object, state) =>
    Object.assign(object, { gate: new Gate(state, service) }),
  );
}

/** Deletes all members, so that setup can create the first owner again. */
export async function deleteMembers(): Promise<void> {
  await homeDb.batch(
    ["session", "known_address", "member"].map((table) => homeDb.prepare(`DELETE FROM ${table}`)),
  );
}
