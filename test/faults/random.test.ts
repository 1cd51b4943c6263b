import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { backfillIndex } from "../../src/actions/index-items.ts";
import { sweepStorage } from "../../src/schedule.ts";
import type { Answer, Json } from "../support/client";
import { sendRequest, sendReliably, ownBindings, resultWithin, setTimeouts } from "./client";
import {
  errorFault,
  makeFaulty,
  pick,
  failShare,
  seededRandom,
  type Call,
  type Fault,
} from "./bindings";
import { findInconsistencies } from "./consistency";
import {
  callApi,
  bearerOf,
  countItems,
  fields,
  itemsOf,
  makeWorld,
  newWord,
  type World,
} from "./world";
import { dataDb } from "../support/databases";
import { background, backgroundOfData, serviceWith } from "../support/serve";

/** `FAULTS=4000 npm test -- test/faults/random.test.ts` runs more. */
const actionCount = Number((env as unknown as { FAULTS: string }).FAULTS);
const laneCount = 8;
const faultShare = 0.2;
const shortPatienceMs = 150;

const kinds = ["app", "form"] as const;
type Kind = (typeof kinds)[number];

/** An item according to the responses. */
interface ModelItem {
  kind: Kind;
  id: string;
  version: number;
  title: string;
  n: number;
}

/** A caller whose items no other lane writes, so that the test knows their content. */
interface Lane {
  world: World;
  /** Only the first lane changes definitions, while all lanes write. */
  mayRedefine: boolean;
  random: () => number;
  items: ModelItem[];
  names: Record<Kind, string>;
  /** Differences from the model. */
  errors: string[];
}

describe(`${actionCount} random actions while a fifth of all calls fails`, () => {
  let lanes: Lane[];
  beforeAll(async () => {
    vi.spyOn(console, "log").mockReturnValue();
    const world = await makeWorld();
    lanes = Array.from({ length: laneCount }, (_, index) => ({
      world,
      mayRedefine: index === 0,
      random: seededRandom(index + 1),
      items: [],
      names: { app: world.app, form: world.form },
      errors: [],
    }));
    setTimeouts({ storageMs: shortPatienceMs });
  });
  afterAll(() => {
    setTimeouts({});
  });

  it(
    "return the usual status or 503, lose no successful write and repeat none",
    { timeout: 60_000 + actionCount * 100 },
    async () => {
      await Promise.all(lanes.map((lane) => runLane(lane, actionCount / laneCount)));
      expect(lanes.flatMap(({ errors }) => errors)).toEqual([]);
    },
  );

  it.each(kinds)("store exactly the items that the responses reported: %s", async (kind) => {
    const expected = lanes.flatMap(({ items }) => items).filter((item) => item.kind === kind);
    const [{ world } = { world: undefined }] = lanes;
    const items = world ? await everyItem(world, kind) : [];
    expect(byId(items.map((item) => toModelItem(kind, item)))).toEqual(byId(expected));
  });

  it("leave nothing partially stored after the schedule has run", async () => {
    await backfillIndex(backgroundOfData());
    expect(await findInconsistencies()).toEqual([]);
  });
});

const byId = (items: ModelItem[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

async function runLane(lane: Lane, count: number): Promise<void> {
  const commonActions = [
    create,
    create,
    create,
    create,
    update,
    update,
    update,
    update,
    find,
    find,
  ];
  const actions = [...commonActions, remove, redefine, runSchedule];
  for (let index = 0; index < count; index += 1) await pick(lane.random, actions)(lane);
}

function anyFault(random: () => number) {
  return ({ kind }: Call): Fault => {
    const chance = random();
    const turn = Math.floor(random() * 100);
    if (chance < 0.4) return errorFault(kind, "fails_before", turn);
    if (chance < 0.75) return errorFault(kind, "fails_after", turn);
    if (chance < 0.8)
      return {
        ...errorFault(kind, "fails_before", turn),
        mode: "fails_then_runs",
        milliseconds: 20,
      };
    if (chance < 0.87) return { mode: "slow", milliseconds: 10 };
    if (chance < 0.94) return { mode: "queued", milliseconds: shortPatienceMs + 50 };
    return chance < 0.97 ? { mode: "hangs_before" } : { mode: "hangs_after" };
  };
}

const planOf = ({ random }: Lane) => failShare(random, faultShare, anyFault(random));

interface ApiCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: object;
}

/** Sends a request with faults. Returns undefined after a 503, since the write may or may not have happened. */
async function sendInLane(
  lane: Lane,
  { method, path, ...content }: ApiCall,
): Promise<Answer | undefined> {
  const input = { path: `/api/v1${path}`, ...content };
  const { answer, thrown, waitUntilSettled } = await sendRequest(method, input, planOf(lane));
  await waitUntilSettled();
  const report = (message: string) =>
    lane.errors.push(`${method} ${path} ${JSON.stringify(content.body)} ${message}`);
  for (const error of thrown) report(`threw ${String(error)}`);
  if (!answer) report("got no response");
  else if (answer.status === 503) return undefined;
  else if (answer.status >= 500) report(`returned ${answer.status} ${answer.text}`);
  else return answer;
  return undefined;
}

function expectIn(lane: Lane, name: string, actual: unknown, ...possible: unknown[]): void {
  const actualJson = JSON.stringify(actual);
  if (possible.some((value) => JSON.stringify(value) === actualJson)) return;
  lane.errors.push(
    `${name}: got ${actualJson}, expected ${possible.map((value) => JSON.stringify(value)).join(" or ")}`,
  );
}

function toModelItem(kind: Kind, { id, version, data }: Json): ModelItem {
  return { kind, id, version, title: data.title, n: data.n };
}

const pathOf = ({ world }: Lane, kind: Kind) => `/${kind}s/${world[kind]}/${itemsOf(kind)}`;
const itemPath = (lane: Lane, { kind, id }: ModelItem) =>
  kind === "app" ? `${pathOf(lane, kind)}/${id}` : `/submissions/${id}`;
const smallNumber = (random: () => number) => Math.floor(random() * 4);

async function create(lane: Lane): Promise<void> {
  const kind = pick(lane.random, kinds);
  const title = newWord();
  const n = smallNumber(lane.random);
  const code = lane.random() < 0.5 ? { code: title } : {};
  const key = lane.random() < 0.5 ? { "Idempotency-Key": title } : {};
  const headers = { ...bearerOf(lane.world), ...key };
  const call = {
    method: "POST",
    path: pathOf(lane, kind),
    headers,
    body: { data: { title, n, ...code } },
  };
  const answer = (await sendInLane(lane, call)) ?? (await resolveCreate(lane, call));
  if (answer) expectIn(lane, `a create of ${title}`, answer.status, 201);
  expectIn(lane, `items with the title ${title}`, await countItems(title), answer ? 1 : 0);
  if (answer?.status === 201) lane.items.push(toModelItem(kind, answer.body));
}

/** Finds out whether a create happened after its 503: repeats it with its key, or looks for its title. */
async function resolveCreate(
  lane: Lane,
  { method, path, headers, body }: ApiCall & { body: Json },
) {
  const input = { path: `/api/v1${path}`, headers, body };
  if (headers["Idempotency-Key"]) return sendReliably(method, input.path, input);
  const { title } = body.data;
  if ((await countItems(title)) === 0) return undefined;
  const row = await dataDb
    .prepare("SELECT id FROM item WHERE data ->> '1' = ?")
    .bind(title)
    .first<{ id: string }>();
  const storedPath = row?.id.startsWith("rec_") ? `${path}/${row.id}` : `/submissions/${row?.id}`;
  return { ...(await callApi(lane.world, "GET", storedPath)), status: 201 };
}

async function update(lane: Lane): Promise<void> {
  const item = lane.items.length > 0 && pick(lane.random, lane.items);
  if (!item) return;
  const n = item.n + 1;
  const condition = lane.random() < 0.5 ? { "If-Match": `"${item.version}"` } : {};
  const headers = { ...bearerOf(lane.world), ...condition };
  const path = itemPath(lane, item);
  const answer = await sendInLane(lane, { method: "PATCH", path, headers, body: { data: { n } } });
  const updated = { ...item, n, version: item.version + 1 };
  if (answer) {
    expectIn(lane, `PATCH ${path}`, answer.status, 200);
    expectIn(
      lane,
      `PATCH ${path}`,
      answer.body.data && toModelItem(item.kind, answer.body),
      updated,
    );
    Object.assign(item, updated);
    return;
  }
  const stored = toModelItem(item.kind, (await callApi(lane.world, "GET", path)).body);
  expectIn(lane, `${path} after a 503`, stored, item, updated);
  Object.assign(item, stored);
}

async function remove(lane: Lane): Promise<void> {
  const items = lane.items.filter(({ kind }) => kind === "form");
  const item = items.length > 0 && pick(lane.random, items);
  if (!item) return;
  const path = itemPath(lane, item);
  const answer = await sendInLane(lane, { method: "DELETE", path, headers: bearerOf(lane.world) });
  if (answer) expectIn(lane, `DELETE ${path}`, answer.status, 204);
  const { status } = await callApi(lane.world, "GET", path);
  expectIn(lane, `${path} after a DELETE`, status, 404, ...(answer ? [] : [200]));
  if (status === 404) lane.items.splice(lane.items.indexOf(item), 1);
}

async function find(lane: Lane): Promise<void> {
  const kind = pick(lane.random, kinds);
  const laneItems = lane.items.filter((item) => item.kind === kind).slice(-100);
  if (laneItems.length === 0) return;
  const n = smallNumber(lane.random);
  const conditions = [
    { field: "title", op: "in", value: laneItems.map(({ title }) => title) },
    { field: "n", op: "eq", value: n },
  ];
  const path = `${pathOf(lane, kind)}/search`;
  const headers = bearerOf(lane.world);
  const answer = await sendInLane(lane, {
    method: "POST",
    path,
    headers,
    body: { conditions, limit: 200 },
  });
  if (!answer) return;
  // The search fails while `n` is not searchable, or while its items are being indexed.
  if (answer.status === 422) expectIn(lane, path, answer.body.errors[0].code, "invalid_condition");
  else if (answer.status === 409) expectIn(lane, path, answer.body.code, "indexing");
  else {
    const items = answer.body.items.map((item: Json) => toModelItem(kind, item));
    expectIn(lane, path, byId(items), byId(laneItems.filter((item) => item.n === n)));
  }
}

/** Changes the name, and at random whether `n` is searchable and whether there is another field. */
async function redefine(lane: Lane): Promise<void> {
  if (!lane.mayRedefine) return update(lane);
  const kind = pick(lane.random, kinds);
  const name = newWord();
  const searchable = lane.random() < 0.7;
  const changedFields = fields.map((field) =>
    field.key === "n" ? { ...field, searchable } : field,
  );
  const extraFields = lane.random() < 0.5 ? [{ key: "more", type: "text" }] : [];
  const path = `/${kind}s/${lane.world[kind]}/schema`;
  const body = { name, fields: [...changedFields, ...extraFields] };
  const answer = await sendInLane(lane, {
    method: "PUT",
    path,
    headers: bearerOf(lane.world),
    body,
  });
  if (answer) expectIn(lane, `PUT ${path}`, answer.status, 200);
  const storedName = (await callApi(lane.world, "GET", path)).body.name;
  expectIn(
    lane,
    `the name after a PUT of ${path}`,
    storedName,
    name,
    ...(answer ? [] : [lane.names[kind]]),
  );
  lane.names[kind] = storedName;
}

/** Runs the schedule with faults. The next run repeats failed work. */
async function runSchedule(lane: Lane): Promise<void> {
  const { bindings, waitUntilSettled } = makeFaulty(ownBindings(), planOf(lane));
  const run = async () => {
    const ctx = background(serviceWith(bindings).databases);
    await sweepStorage(ctx, Date.now());
    for (const db of ctx.databases.dataDatabases()) await backfillIndex({ ...ctx, db });
  };
  await resultWithin(
    run().catch(() => undefined),
    2000,
  );
  await waitUntilSettled();
}

async function everyItem(world: World, kind: Kind): Promise<Json[]> {
  const items: Json[] = [];
  for (let next = `/${kind}s/${world[kind]}/${itemsOf(kind)}?limit=200`; next !== "";) {
    const { body } = await callApi(world, "GET", next);
    items.push(...body.items);
    next = body.links.next?.split("/api/v1")[1] ?? "";
  }
  // makeWorld created the first three.
  return items.slice(3);
}
