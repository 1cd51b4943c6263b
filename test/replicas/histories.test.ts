import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Grant } from "../../src/domain/credential/credential.ts";
import { permissions } from "../../src/domain/credential/permissions.ts";
import { pick, seededRandom } from "../faults/bindings";
import { answerOf, root, type Answer, type Json } from "../support/client";
import { issue } from "../support/service";
import { detachedContext } from "./execution-context";
import { DelayedGate } from "./delayed-gate";
import { copyAll, LaggingDatabase } from "./lagging-database";
import { reportsAtOnce, serve } from "../support/serve";
import { dataDb, withDataDb } from "../support/databases";

interface Replicas {
  REPLICA_A: D1Database;
  REPLICA_B: D1Database;
  MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
  HISTORIES: string;
}
const bindings = env as unknown as Bindings & Replicas;

/** `HISTORIES=20000 npm test -- test/replicas/histories.test.ts` runs more. */
const historyCount = Number(bindings.HISTORIES);
const historiesPerForm = 25;
const actionsPerCaller = 3;

/** An item as its writers know it. Each caller writes its own field. */
interface ModelItem {
  id: string;
  creator: number;
  /** The last value that each caller wrote. */
  values: (number | null)[];
  /** The last version that each caller wrote or saw. */
  versions: number[];
  /** The caller that sent the DELETE, and whether it got a response. */
  deletion: { caller: number; isConfirmed: boolean } | null;
}

interface History {
  name: string;
  form: string;
  random: () => number;
  items: ModelItem[];
}

describe(`${historyCount} histories of three callers near lagging replicas`, () => {
  const random = seededRandom(7);
  const errors: string[] = [];
  let lagging: LaggingDatabase;
  let gate: DelayedGate;
  let bearers: string[];
  beforeAll(async () => {
    vi.spyOn(console, "log").mockReturnValue();
    const issued = await Promise.all([issue(), issue(), issue()]);
    bearers = issued.map(({ token }: Json) => token);
    const replicas = [bindings.REPLICA_A, bindings.REPLICA_B];
    for (const replica of replicas) {
      await applyD1Migrations(replica, bindings.MIGRATIONS);
      await copyAll(dataDb, replica);
    }
    lagging = new LaggingDatabase(dataDb, replicas, random);
    gate = new DelayedGate(new Map(issued.map(({ id }: Json) => [id, grantOf(id)])), random);
  });

  async function send(
    caller: number,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer & { version: number }> {
    const { db, versions } = lagging.bindingAt(Math.floor(random() * 2));
    const request = new Request(path.startsWith("http") ? path : root + path, {
      method,
      headers: {
        Authorization: `Bearer ${bearers[caller]}`,
        "Content-Type": "application/json",
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const response = await serve(
      request,
      withDataDb({ TIMEOUTS: reportsAtOnce, GATE: gate.binding }, db),
      detachedContext,
    );
    const answer = await answerOf(response);
    return { ...answer, version: versions.at(-1) ?? 0 };
  }

  const check = ({ name: history }: History, name: string, condition: boolean, answer: Answer) => {
    if (!condition)
      errors.push(`${history} ${name}: ${answer.status} ${answer.text.slice(0, 300)}`);
  };

  async function create(caller: number, history: History): Promise<void> {
    const { name, form, items } = history;
    const data = { history: name, [`f${caller}`]: 0 };
    const answer = await send(caller, "POST", `/forms/${form}/submissions`, { data });
    check(history, "a create", answer.status === 201, answer);
    if (answer.status !== 201) return;
    const values = [0, 1, 2].map((index) => (index === caller ? 0 : null));
    const versions = [0, 1, 2].map((index) => (index === caller ? 1 : 0));
    items.push({ id: answer.body.id, creator: caller, values, versions, deletion: null });
  }

  /** Writes 0 or 1, so that a replica often still has the same value. */
  async function change(caller: number, history: History): Promise<void> {
    const item = pick(history.random, history.items);
    const value = Math.floor(history.random() * 2);
    const version = item.versions[caller] ?? 0;
    const hasIfMatch = version > 0 && history.random() < 0.3;
    const headers: Record<string, string> = hasIfMatch ? { "If-Match": `"${version}"` } : {};
    const body = { data: { [`f${caller}`]: value } };
    const answer = await send(caller, "PATCH", `/submissions/${item.id}`, body, headers);
    if (answer.status === 404) {
      check(history, "a change of an existing item", item.deletion !== null, answer);
    } else if (answer.status === 412) {
      const isStale = answer.body.current_etag !== `"${version}"`;
      check(history, "a 412 for the current version", hasIfMatch && isStale, answer);
    } else {
      const isNewer = answer.status === 200 && answer.body.version >= version;
      check(history, "a change", isNewer && !isDeletedBy(item, caller), answer);
      if (answer.status !== 200) return;
      item.values[caller] = value;
      item.versions[caller] = answer.body.version;
    }
  }

  const isDeletedBy = ({ deletion }: ModelItem, caller: number) =>
    deletion?.caller === caller && deletion.isConfirmed;

  function isConsistent(
    history: History,
    caller: number,
    item: ModelItem,
    minVersion: number,
    stored: Json,
  ): boolean {
    const hasOwnValue = stored.data[`f${caller}`] === item.values[caller];
    item.versions[caller] = Math.max(item.versions[caller] ?? 0, stored.version);
    return (
      hasOwnValue &&
      stored.version >= minVersion &&
      !isDeletedBy(item, caller) &&
      history.name === stored.data.history
    );
  }

  async function find(caller: number, history: History): Promise<void> {
    const item = pick(history.random, history.items);
    const version = item.versions[caller] ?? 0;
    const minVersion = item.values[caller] === null ? 0 : version;
    const path = `/submissions/${item.id}`;
    const answer = await send(caller, "GET", path);
    if (answer.status === 404) {
      check(history, "a read of an existing item", item.deletion !== null, answer);
      return;
    }
    const isValid =
      answer.status === 200 && isConsistent(history, caller, item, minVersion, answer.body);
    check(history, `a read by ${caller} of version ${minVersion}`, isValid, answer);
  }

  async function remove(caller: number, history: History): Promise<void> {
    const item = pick(history.random, history.items);
    if (item.deletion) return find(caller, history);
    item.deletion = { caller, isConfirmed: false };
    const answer = await send(caller, "DELETE", `/submissions/${item.id}`);
    check(history, "a deletion", answer.status === 204, answer);
    item.deletion.isConfirmed = true;
    const repeated = await send(caller, "GET", `/submissions/${item.id}`);
    check(history, "a read of a deleted item", repeated.status === 404, repeated);
  }

  /** Reads all pages. Every own item is there once, and no page is older than the previous one. */
  async function readAllPages(caller: number, history: History): Promise<void> {
    const ownItems = history.items.filter(
      ({ creator, deletion }) => creator === caller && !deletion,
    );
    const usesList = history.random() < 0.15;
    const ids: string[] = [];
    const base = `/forms/${history.form}/submissions`;
    const conditions = [{ field: "history", op: "eq", value: history.name }];
    let [next, version]: [string | null, number] = [
      usesList ? `${base}?limit=20` : `${base}/search?limit=1`,
      0,
    ];
    while (next !== null) {
      const answer: Awaited<ReturnType<typeof send>> = usesList
        ? await send(caller, "GET", next)
        : await send(caller, "POST", next, { conditions });
      check(history, `a page not older than version ${version}`, answer.version >= version, answer);
      if (answer.status !== 200) return check(history, "a page", false, answer);
      version = answer.version;
      ids.push(...answer.body.items.map(({ id }: Json) => id));
      next = answer.body.links.next;
    }
    const hasDuplicates = new Set(ids).size !== ids.length;
    const missing = ownItems.filter(({ id, deletion }) => !deletion && !ids.includes(id));
    if (hasDuplicates || missing.length > 0) errors.push(`${history.name} listed ${ids.join(" ")}`);
  }

  /** Checks on the primary that every write is stored. */
  async function checkFinalState(history: History): Promise<void> {
    const conditions = [{ field: "history", op: "eq", value: history.name }];
    const headers = { "Cache-Control": "no-cache" };
    const path = `/forms/${history.form}/submissions/search`;
    const answer = await send(0, "POST", path, { conditions }, headers);
    const storedItems = new Map<string, Json>(
      answer.body.items.map((item: Json) => [item.id, item]),
    );
    for (const { id, values, deletion } of history.items) {
      const { data } = storedItems.get(id) ?? {};
      const hasAllValues = data && values.every((value, index) => value === data[`f${index}`]);
      if (deletion ? data : !hasAllValues) {
        errors.push(`${history.name} lost ${JSON.stringify({ id, values, data, deletion })}`);
      }
    }
  }

  async function redefine(history: History): Promise<void> {
    const name = `renamed by ${history.name}`;
    const answer = await send(0, "PUT", `/forms/${history.form}/schema`, { name, fields });
    check(history, "a definition", answer.status === 200, answer);
    const read = await send(0, "GET", `/forms/${history.form}/schema`);
    check(history, "a schema", read.status === 200, read);
  }

  const actions = [create, change, change, change, change, find, find, find, remove, readAllPages];

  async function runHistory(history: History): Promise<void> {
    await create(Math.floor(history.random() * 3), history);
    const runCaller = async (caller: number) => {
      for (let index = 0; index < actionsPerCaller; index += 1)
        await pick(history.random, actions)(caller, history);
    };
    await Promise.all([0, 1, 2].map(runCaller));
    await checkFinalState(history);
  }

  it(
    "return no read older than own writes or previous pages, miss no item and lose no update",
    { timeout: 60_000 + historyCount * 1000 },
    async () => {
      for (let first = 0; first < historyCount; first += historiesPerForm) {
        const form = `replicas_${first}`;
        const created = await send(0, "PUT", `/forms/${form}/schema`, { name: form, fields });
        expect(created.status).toBe(201);
        const group = Array.from(
          { length: Math.min(historiesPerForm, historyCount - first) },
          (_, index) => {
            const seed = first + index;
            return { name: `h${seed}`, form, random: seededRandom(seed), items: [] };
          },
        );
        await Promise.all([...group.map(runHistory), redefine(group[0] as History)]);
      }
      expect(errors.slice(0, 10)).toEqual([]);
    },
  );
});

const fields = [
  { key: "history", type: "text" },
  ...[0, 1, 2].map((index) => ({ key: `f${index}`, type: "number", searchable: false })),
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
