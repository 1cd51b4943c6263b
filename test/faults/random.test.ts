import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { indexItems } from "../../src/actions/index-items.ts";
import { sweep } from "../../src/actions/sweep.ts";
import { patience } from "../../src/store/db/retry.ts";
import type { Answer, Json } from "../support/client";
import { ask, askSteadily, inTime } from "./asking";
import { failing, faulty, oneOf, part, seeded, type Call, type Fault } from "./bindings";
import { halfStored } from "./consistency";
import { api, bearerOf, countOf, fields, itemsOf, makeWorld, word, type World } from "./world";

/** More of them with `FAULTS=4000 npx vitest run …`. */
const acts = Number((env as unknown as { FAULTS: string }).FAULTS);
const lanes = 8;
const share = 0.2;
const shortPatience = 150;

const kinds = ["app", "form"] as const;
type Kind = (typeof kinds)[number];

/** An item as the answers said that it is. */
interface Modelled {
  kind: Kind;
  id: string;
  version: number;
  title: string;
  n: number;
}

/** Somebody who writes items that nobody else touches, so that it is known what they have to be. */
interface Lane {
  world: World;
  /** The first one changes the definitions, under everybody's hands. */
  first: boolean;
  random: () => number;
  items: Modelled[];
  names: Record<Kind, string>;
  /** What was not as the model has it. */
  wrongs: string[];
}

describe(`${acts} random acts, while a fifth of all calls fails`, () => {
  const usually = patience.milliseconds;
  let all: Lane[];
  beforeAll(async () => {
    vi.spyOn(console, "log").mockReturnValue();
    const world = await makeWorld();
    all = Array.from({ length: lanes }, (_, index) => ({
      world,
      first: index === 0,
      random: seeded(index + 1),
      items: [],
      names: { app: world.app, form: world.form },
      wrongs: [],
    }));
    patience.milliseconds = shortPatience;
  });
  afterAll(() => {
    patience.milliseconds = usually;
  });

  it(
    "each is answered as ever or with 503; no answer that said done is lost, and nothing is done twice",
    { timeout: 60_000 + acts * 100 },
    async () => {
      await Promise.all(all.map((lane) => actInTurn(lane, acts / lanes)));
      expect(all.flatMap(({ wrongs }) => wrongs)).toEqual([]);
    },
  );

  it.each(kinds)("all that is there in the end is what the answers said: %s", async (kind) => {
    const said = all.flatMap(({ items }) => items).filter((one) => one.kind === kind);
    const [{ world } = { world: undefined }] = all;
    const found = world ? await everyItem(world, kind) : [];
    expect(byId(found.map((item) => modelled(kind, item)))).toEqual(byId(said));
  });

  it("nothing is stored by halves, once the schedule has run", async () => {
    await indexItems(env.DB);
    expect(await halfStored()).toEqual([]);
  });
});

const byId = (some: Modelled[]) => some.toSorted((a, b) => (a.id < b.id ? -1 : 1));

async function actInTurn(lane: Lane, count: number): Promise<void> {
  const likely = [create, create, create, create, update, update, update, update, find, find];
  const choices = [...likely, remove, redefine, runSchedule];
  for (let done = 0; done < count; done += 1) await oneOf(lane.random, choices)(lane);
}

function anyFault(random: () => number) {
  return ({ kind }: Call): Fault => {
    const chance = random();
    const turn = Math.floor(random() * 100);
    if (chance < 0.4) return failing(kind, "unmade", turn);
    if (chance < 0.75) return failing(kind, "unanswered", turn);
    if (chance < 0.8) return { ...failing(kind, "unmade", turn), how: "astray", milliseconds: 20 };
    if (chance < 0.87) return { how: "late", milliseconds: 10 };
    if (chance < 0.94) return { how: "overdue", milliseconds: shortPatience + 50 };
    return chance < 0.97 ? { how: "lost" } : { how: "silent" };
  };
}

const planOf = ({ random }: Lane) => part(random, share, anyFault(random));

interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: object;
}

/** The answer, while calls fail. None where it is not known whether it was done: that is for the caller to look. */
async function send(lane: Lane, { method, path, ...rest }: Sent): Promise<Answer | undefined> {
  const sent = { path: `/api/v1${path}`, ...rest };
  const { answer, thrown, settled } = await ask(method, sent, planOf(lane));
  await settled();
  const wrong = (what: string) =>
    lane.wrongs.push(`${method} ${path} ${JSON.stringify(rest.body)} ${what}`);
  for (const error of thrown) wrong(`threw ${String(error)}`);
  if (!answer) wrong("was not answered");
  else if (answer.status === 503) return undefined;
  else if (answer.status >= 500) wrong(`answered ${answer.status} ${answer.text}`);
  else return answer;
  return undefined;
}

function expectIn(lane: Lane, what: string, found: unknown, ...possible: unknown[]): void {
  const told = JSON.stringify(found);
  if (possible.some((each) => JSON.stringify(each) === told)) return;
  lane.wrongs.push(
    `${what}: ${told} in place of ${possible.map((each) => JSON.stringify(each)).join(" or ")}`,
  );
}

function modelled(kind: Kind, { id, version, data }: Json): Modelled {
  return { kind, id, version, title: data.title, n: data.n };
}

const pathOf = ({ world }: Lane, kind: Kind) => `/${kind}s/${world[kind]}/${itemsOf(kind)}`;
const itemPath = (lane: Lane, { kind, id }: Modelled) =>
  kind === "app" ? `${pathOf(lane, kind)}/${id}` : `/submissions/${id}`;
const few = (random: () => number) => Math.floor(random() * 4);

async function create(lane: Lane): Promise<void> {
  const kind = oneOf(lane.random, kinds);
  const title = word();
  const n = few(lane.random);
  const code = lane.random() < 0.5 ? { code: title } : {};
  const key = lane.random() < 0.5 ? { "Idempotency-Key": title } : {};
  const headers = { ...bearerOf(lane.world), ...key };
  const sent = {
    method: "POST",
    path: pathOf(lane, kind),
    headers,
    body: { data: { title, n, ...code } },
  };
  const answer = (await send(lane, sent)) ?? (await afterwards(lane, sent));
  if (answer) expectIn(lane, `a create of ${title}`, answer.status, 201);
  expectIn(lane, `items with the title ${title}`, await countOf(title), answer ? 1 : 0);
  if (answer?.status === 201) lane.items.push(modelled(kind, answer.body));
}

/** What has become of a create that was answered with 503: with its key it is sent again, without one looked for. */
async function afterwards(lane: Lane, { method, path, headers, body }: Sent & { body: Json }) {
  const sent = { path: `/api/v1${path}`, headers, body };
  if (headers["Idempotency-Key"]) return askSteadily(method, sent.path, sent);
  const { title } = body.data;
  if ((await countOf(title)) === 0) return undefined;
  const found = await env.DB.prepare("SELECT id FROM item WHERE data ->> '1' = ?")
    .bind(title)
    .first<{ id: string }>();
  const one = found?.id.startsWith("rec_") ? `${path}/${found.id}` : `/submissions/${found?.id}`;
  return { ...(await api(lane.world, "GET", one)), status: 201 };
}

async function update(lane: Lane): Promise<void> {
  const item = lane.items.length > 0 && oneOf(lane.random, lane.items);
  if (!item) return;
  const n = item.n + 1;
  const match = lane.random() < 0.5 ? { "If-Match": `"${item.version}"` } : {};
  const headers = { ...bearerOf(lane.world), ...match };
  const path = itemPath(lane, item);
  const answer = await send(lane, { method: "PATCH", path, headers, body: { data: { n } } });
  const after = { ...item, n, version: item.version + 1 };
  if (answer) {
    expectIn(lane, `PATCH ${path}`, answer.status, 200);
    expectIn(lane, `PATCH ${path}`, answer.body.data && modelled(item.kind, answer.body), after);
    Object.assign(item, after);
    return;
  }
  const read = modelled(item.kind, (await api(lane.world, "GET", path)).body);
  expectIn(lane, `${path} after a 503`, read, item, after);
  Object.assign(item, read);
}

async function remove(lane: Lane): Promise<void> {
  const items = lane.items.filter(({ kind }) => kind === "form");
  const item = items.length > 0 && oneOf(lane.random, items);
  if (!item) return;
  const path = itemPath(lane, item);
  const answer = await send(lane, { method: "DELETE", path, headers: bearerOf(lane.world) });
  if (answer) expectIn(lane, `DELETE ${path}`, answer.status, 204);
  const { status } = await api(lane.world, "GET", path);
  expectIn(lane, `${path} after a DELETE`, status, 404, ...(answer ? [] : [200]));
  if (status === 404) lane.items.splice(lane.items.indexOf(item), 1);
}

async function find(lane: Lane): Promise<void> {
  const kind = oneOf(lane.random, kinds);
  const own = lane.items.filter((item) => item.kind === kind).slice(-100);
  if (own.length === 0) return;
  const n = few(lane.random);
  const conditions = [
    { field: "title", op: "in", value: own.map(({ title }) => title) },
    { field: "n", op: "eq", value: n },
  ];
  const path = `${pathOf(lane, kind)}/search`;
  const headers = bearerOf(lane.world);
  const answer = await send(lane, {
    method: "POST",
    path,
    headers,
    body: { conditions, limit: 200 },
  });
  if (!answer) return;
  // While `n` cannot be searched: it is not to be, or its items are being indexed.
  if (answer.status === 422) expectIn(lane, path, answer.body.errors[0].code, "invalid_condition");
  else if (answer.status === 409) expectIn(lane, path, answer.body.code, "indexing");
  else {
    const found = answer.body.items.map((item: Json) => modelled(kind, item));
    expectIn(lane, path, byId(found), byId(own.filter((item) => item.n === n)));
  }
}

/** Another name; and `n` can be searched or not, and there is another field or not. */
async function redefine(lane: Lane): Promise<void> {
  if (!lane.first) return update(lane);
  const kind = oneOf(lane.random, kinds);
  const name = word();
  const searchable = lane.random() < 0.7;
  const changed = fields.map((field) => (field.key === "n" ? { ...field, searchable } : field));
  const more = lane.random() < 0.5 ? [{ key: "more", type: "text" }] : [];
  const path = `/${kind}s/${lane.world[kind]}/schema`;
  const body = { name, fields: [...changed, ...more] };
  const answer = await send(lane, { method: "PUT", path, headers: bearerOf(lane.world), body });
  if (answer) expectIn(lane, `PUT ${path}`, answer.status, 200);
  const now = (await api(lane.world, "GET", path)).body.name;
  expectIn(
    lane,
    `the name after a PUT of ${path}`,
    now,
    name,
    ...(answer ? [] : [lane.names[kind]]),
  );
  lane.names[kind] = now;
}

/** What fails here is for the next run. */
async function runSchedule(lane: Lane): Promise<void> {
  const { bindings, settled } = faulty(env, planOf(lane));
  const run = async () => {
    await sweep(bindings.DB, Date.now());
    await indexItems(bindings.DB);
  };
  await inTime(
    run().catch(() => undefined),
    2000,
  );
  await settled();
}

async function everyItem(world: World, kind: Kind): Promise<Json[]> {
  const items: Json[] = [];
  for (let next = `/${kind}s/${world[kind]}/${itemsOf(kind)}?limit=200`; next !== "";) {
    const { body } = await api(world, "GET", next);
    items.push(...body.items);
    next = body.links.next?.split("/api/v1")[1] ?? "";
  }
  // The first three were there before.
  return items.slice(3);
}
