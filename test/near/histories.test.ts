import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import type { Grant } from "../../src/domain/credential/credential.ts";
import { permissions } from "../../src/domain/credential/permissions.ts";
import { waiting } from "../../src/http/gate-reports.ts";
import { oneOf, seeded } from "../faults/bindings";
import { answerOf, root, type Answer, type Json } from "../support/client";
import { issue } from "../support/service";
import { behind } from "./behind";
import { FarObjects } from "./far-objects";
import { copyAll, Lagging } from "./lagging";

interface Replicas {
  REPLICA_A: D1Database;
  REPLICA_B: D1Database;
  MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
  HISTORIES: string;
}
const bindings = env as unknown as Bindings & Replicas;

/** More of them with `HISTORIES=20000 npx vitest run …`. */
const histories = Number(bindings.HISTORIES);
const perForm = 25;
const actsEach = 3;

/** An item as those who write it know it. Each credential writes a field of its own. */
interface Modelled {
  id: string;
  by: number;
  /** What each credential wrote last, by its number. */
  values: (number | null)[];
  /** The version that each credential wrote or saw last. */
  versions: number[];
  /** By whom it was deleted, once that was asked for; and whether that was answered. */
  deletion: { by: number; done: boolean } | null;
}

interface History {
  name: string;
  form: string;
  random: () => number;
  items: Modelled[];
}

describe(`${histories} histories of three credentials in places with replicas that lag`, () => {
  const random = seeded(7);
  const wrongs: string[] = [];
  let lagging: Lagging;
  let objects: FarObjects;
  let bearers: string[];
  beforeAll(async () => {
    vi.spyOn(console, "log").mockReturnValue();
    Object.assign(waiting, { refused: 0, served: 0 });
    const issued = await Promise.all([issue(), issue(), issue()]);
    bearers = issued.map(({ token }: Json) => token);
    const replicas = [bindings.REPLICA_A, bindings.REPLICA_B];
    for (const replica of replicas) {
      await applyD1Migrations(replica, bindings.MIGRATIONS);
      await copyAll(env.DB, replica);
    }
    lagging = new Lagging(env.DB, replicas, random);
    objects = new FarObjects(new Map(issued.map(({ id }: Json) => [id, grantOf(id)])), random);
  });

  async function send(
    who: number,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer & { version: number }> {
    const { db, versions } = lagging.at(Math.floor(random() * 2));
    const request = new Request(path.startsWith("http") ? path : root + path, {
      method,
      headers: {
        Authorization: `Bearer ${bearers[who]}`,
        "Content-Type": "application/json",
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const response = await app.fetch(request, { ...env, DB: db, GATE: objects.binding }, behind);
    const answer = await answerOf(response);
    return { ...answer, version: versions.at(-1) ?? 0 };
  }

  const expectIn = ({ name }: History, what: string, holds: boolean, answer: Answer) => {
    if (!holds) wrongs.push(`${name} ${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
  };

  async function create(who: number, history: History): Promise<void> {
    const { name, form, items } = history;
    const data = { history: name, [`f${who}`]: 0 };
    const answer = await send(who, "POST", `/forms/${form}/submissions`, { data });
    expectIn(history, "a create", answer.status === 201, answer);
    if (answer.status !== 201) return;
    const values = [0, 1, 2].map((each) => (each === who ? 0 : null));
    const versions = [0, 1, 2].map((each) => (each === who ? 1 : 0));
    items.push({ id: answer.body.id, by: who, values, versions, deletion: null });
  }

  /** Small numbers, so that what is written is often what a replica still has. */
  async function change(who: number, history: History): Promise<void> {
    const item = oneOf(history.random, history.items);
    const value = Math.floor(history.random() * 2);
    const known = item.versions[who] ?? 0;
    const match = known > 0 && history.random() < 0.3;
    const headers: Record<string, string> = match ? { "If-Match": `"${known}"` } : {};
    const body = { data: { [`f${who}`]: value } };
    const answer = await send(who, "PATCH", `/submissions/${item.id}`, body, headers);
    if (answer.status === 404) {
      expectIn(history, "a change of what is there", item.deletion !== null, answer);
    } else if (answer.status === 412) {
      const other = answer.body.current_etag !== `"${known}"`;
      expectIn(history, "a 412 for the version that holds", match && other, answer);
    } else {
      const later = answer.status === 200 && answer.body.version >= known;
      expectIn(history, "a change", later && !gone(item, who), answer);
      if (answer.status !== 200) return;
      item.values[who] = value;
      item.versions[who] = answer.body.version;
    }
  }

  const gone = ({ deletion }: Modelled, who: number) => deletion?.by === who && deletion.done;

  function judge(
    history: History,
    who: number,
    item: Modelled,
    known: number,
    found: Json,
  ): boolean {
    const own = found.data[`f${who}`] === item.values[who];
    item.versions[who] = Math.max(item.versions[who] ?? 0, found.version);
    return own && found.version >= known && !gone(item, who) && history.name === found.data.history;
  }

  async function find(who: number, history: History): Promise<void> {
    const item = oneOf(history.random, history.items);
    const known = item.versions[who] ?? 0;
    const written = item.values[who] === null ? 0 : known;
    const path = `/submissions/${item.id}`;
    const answer = await send(who, "GET", path);
    if (answer.status === 404) {
      expectIn(history, "a read of what is there", item.deletion !== null, answer);
      return;
    }
    const holds = answer.status === 200 && judge(history, who, item, written, answer.body);
    expectIn(history, `a read by ${who} of version ${written}`, holds, answer);
  }

  async function remove(who: number, history: History): Promise<void> {
    const item = oneOf(history.random, history.items);
    if (item.deletion) return find(who, history);
    item.deletion = { by: who, done: false };
    const answer = await send(who, "DELETE", `/submissions/${item.id}`);
    expectIn(history, "a deletion", answer.status === 204, answer);
    item.deletion.done = true;
    const again = await send(who, "GET", `/submissions/${item.id}`);
    expectIn(history, "a read of what was deleted", again.status === 404, again);
  }

  /** Own items are all there, each once; and no page is older than the one before. */
  async function walk(who: number, history: History): Promise<void> {
    const own = history.items.filter(({ by, deletion }) => by === who && !deletion);
    const listed = history.random() < 0.15;
    const found: string[] = [];
    const base = `/forms/${history.form}/submissions`;
    const conditions = [{ field: "history", op: "eq", value: history.name }];
    let [next, version]: [string | null, number] = [
      listed ? `${base}?limit=20` : `${base}/search?limit=1`,
      0,
    ];
    while (next !== null) {
      const answer: Awaited<ReturnType<typeof send>> = listed
        ? await send(who, "GET", next)
        : await send(who, "POST", next, { conditions });
      expectIn(history, `a page behind version ${version}`, answer.version >= version, answer);
      if (answer.status !== 200) return expectIn(history, "a page", false, answer);
      version = answer.version;
      found.push(...answer.body.items.map(({ id }: Json) => id));
      next = answer.body.links.next;
    }
    const twice = new Set(found).size !== found.length;
    const missed = own.filter(({ id, deletion }) => !deletion && !found.includes(id));
    if (twice || missed.length > 0) wrongs.push(`${history.name} walked ${found.join(" ")}`);
  }

  /** What everybody wrote is there in the end: the primary says so. */
  async function settle(history: History): Promise<void> {
    const conditions = [{ field: "history", op: "eq", value: history.name }];
    const headers = { "Cache-Control": "no-cache" };
    const path = `/forms/${history.form}/submissions/search`;
    const answer = await send(0, "POST", path, { conditions }, headers);
    const found = new Map<string, Json>(answer.body.items.map((each: Json) => [each.id, each]));
    for (const { id, values, deletion } of history.items) {
      const { data } = found.get(id) ?? {};
      const held = data && values.every((value, who) => value === data[`f${who}`]);
      if (deletion ? data : !held) {
        wrongs.push(`${history.name} lost ${JSON.stringify({ id, values, data, deletion })}`);
      }
    }
  }

  async function redefine(history: History): Promise<void> {
    const name = `renamed by ${history.name}`;
    const answer = await send(0, "PUT", `/forms/${history.form}/schema`, { name, fields });
    expectIn(history, "a definition", answer.status === 200, answer);
    const read = await send(0, "GET", `/forms/${history.form}/schema`);
    expectIn(history, "a schema", read.status === 200, read);
  }

  const acts = [create, change, change, change, change, find, find, find, remove, walk];

  async function play(history: History): Promise<void> {
    await create(Math.floor(history.random() * 3), history);
    const inTurn = async (who: number) => {
      for (let act = 0; act < actsEach; act += 1) await oneOf(history.random, acts)(who, history);
    };
    await Promise.all([0, 1, 2].map(inTurn));
    await settle(history);
  }

  it(
    "no read is older than the own writes or the walk, nothing that is there is not found, no update is lost",
    { timeout: 60_000 + histories * 1000 },
    async () => {
      for (let first = 0; first < histories; first += perForm) {
        const form = `near_${first}`;
        const made = await send(0, "PUT", `/forms/${form}/schema`, { name: form, fields });
        expect(made.status).toBe(201);
        const some = Array.from({ length: Math.min(perForm, histories - first) }, (_, index) => {
          const seed = first + index;
          return { name: `h${seed}`, form, random: seeded(seed), items: [] };
        });
        await Promise.all([...some.map(play), redefine(some[0] as History)]);
      }
      expect(wrongs.slice(0, 10)).toEqual([]);
    },
  );
});

const fields = [
  { key: "history", type: "text" },
  ...[0, 1, 2].map((who) => ({ key: `f${who}`, type: "number", searchable: false })),
];

const grantOf = (credentialId: string): Grant => ({
  credentialId,
  kind: "token",
  name: "Test",
  permissions: [...permissions],
  resources: "all",
  limits: { requests: 1, writes: 1 },
  expiresAt: null,
  origins: [],
});
