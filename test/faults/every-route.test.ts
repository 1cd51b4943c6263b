import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { patience } from "../../src/store/db/retry.ts";
import type { Answer } from "../support/client";
import { routes } from "../support/routes";
import { ask, type Outcome } from "./asking";
import {
  at,
  d1Error,
  d1Messages,
  defect,
  either,
  failing,
  type Call,
  type Fault,
  type Kind,
} from "./bindings";
import { halfStored } from "./consistency";
import { call, inPool, wrongsOf, type Scenario } from "./judging";
import { nameOf, type Row } from "./routes";
import { apiRows } from "./routes-of-the-api";
import { areaRowsOfAll, firstOwner, oauthRows, pageRows } from "./routes-of-the-area";
import {
  bearerOf,
  makeWorld,
  manyItems,
  newCredential,
  nobodyIsThere,
  troubleObject,
  type World,
} from "./world";

vi.spyOn(console, "log").mockReturnValue();

/** Every route of the service; a route that is not here fails the first test. */
const rows: Row[] = [...apiRows, ...oauthRows, ...pageRows, ...areaRowsOfAll];
const allRows = [...rows, ...firstOwner];
const oneOfEachRoute = [...Map.groupBy(rows, ({ route }) => route).values()].flatMap(
  ([first]) => first ?? [],
);
const named = (some: Row[]) => some.map((row) => [nameOf(row), row] as const);

let made: Promise<World> | undefined;
const worldOf = () => (made ??= makeWorld());

it("every route of the service stands in this table", () => {
  const told = new Set(allRows.map(({ route }) => route));
  expect([...told].toSorted()).toEqual([...routes.keys()].toSorted());
});

/** Calls of each kind: they read, search, create, change and delete, in the API and in the administration area. */
const telling = [
  "GET /api/v1/forms/:key/schema",
  "POST /api/v1/apps/:key/records/search, with conditions",
  "POST /api/v1/apps/:key/records, with a key",
  "PATCH /api/v1/submissions/:id",
  "DELETE /api/v1/submissions/:id",
  "PUT /api/v1/forms/:key/schema, that creates",
  "GET /admin/forms/:key/items",
  "POST /admin/integrations",
];

type Place = Pick<Call, "kind"> & { place: number | "every" };

/** These errors come round: `turn` says which one it is. */
function failure({ kind, place }: Place, how: "unmade" | "unanswered", turn: number): Scenario {
  const fault = failing(kind, how, turn);
  const name = `${kind} ${place} is ${how} ("${fault.error.message}")`;
  return { name, plan: at(kind, place, () => fault) };
}

const hanging: Fault[] = [
  { how: "lost" },
  { how: "silent" },
  { how: "overdue", milliseconds: 400 },
];

function hang({ kind, place }: Place, turn: number): Scenario {
  const fault = hanging[turn % hanging.length] as Fault;
  return { name: `${kind} ${place} is ${fault.how}`, plan: at(kind, place, () => fault) };
}

const everyD1 = (fault: Fault) => at("d1", "every", () => fault);
const noObject = at("object", "every", () => failing("object", "unmade", 0));
const withoutObject = ({ name, plan }: Scenario): Scenario => ({
  name: `without objects, ${name}`,
  plan: either(noObject, plan),
});

/** The first calls that a request makes before its answer; lists of credentials ask each one's object. */
const callsOf = ({ calls }: Outcome) =>
  calls.filter(({ method, place }) => method !== "note" && place <= 6);

interface Calls {
  usual: Answer;
  calls: Call[];
  /** What stands in for an object that is out of reach. */
  standIns: Call[];
}

/** As they are when nothing fails; learnt once for each row. */
const learnt = new Map<Row, Promise<Calls>>();

function callsOfRow(row: Row, world: World): Promise<Calls> {
  const known = learnt.get(row) ?? learnCalls(row, world);
  learnt.set(row, known);
  return known;
}

async function learnCalls(row: Row, world: World): Promise<Calls> {
  const outcome = await call(row, world);
  const { answer } = outcome;
  if (answer?.status !== row.status) throw new Error(`${answer?.status} ${answer?.text}`);
  const calls = callsOf(outcome);
  const asksObjects = calls.some(({ kind }) => kind === "object");
  const others = asksObjects ? callsOf(await call(row, world, noObject)) : [];
  return { usual: answer, calls, standIns: others.filter(({ kind }) => kind !== "object") };
}

const reads = ({ route }: Row) => route.startsWith("GET ");
/** What is read and not answered is as if it had not been asked. */
const mayStore = ({ method }: Call) => ["batch", "run", "put", "change"].includes(method);
const everyCallOf = (kind: Kind): Place => ({ kind, place: "every" });

const late: Scenario = {
  name: "every call is late",
  plan: () => ({ how: "late", milliseconds: 5 }),
  harmless: true,
};

/** What can fail of the calls of a route. */
function failuresOf(row: Row, { calls, standIns }: Calls): Scenario[] {
  const turn = allRows.indexOf(row);
  if (row.few) return fewFailuresOf(calls, turn);
  const stored = reads(row) ? [] : calls.filter(mayStore);
  const kinds = (["d1", "object"] as const).filter((kind) =>
    calls.some((one) => one.kind === kind),
  );
  return [
    ...calls.map((one, index) => failure(one, "unmade", turn + index)),
    ...stored.map((one, index) => failure(one, "unanswered", turn + index + 4)),
    ...kinds.map((kind) => failure(everyCallOf(kind), "unmade", turn)),
    ...standIns.map((one, index) => withoutObject(failure(one, "unmade", turn + index))),
    ...(row.when === "" && calls.length > 0 ? [late] : []),
  ];
}

/** What comes last, and what may be stored and not answered. */
function fewFailuresOf(calls: readonly Call[], turn: number): Scenario[] {
  const [last, stored] = [calls.at(-1), calls.findLast(mayStore)];
  return [
    ...(last ? [failure(last, "unmade", turn)] : []),
    ...(stored ? [failure(stored, "unanswered", turn + 4)] : []),
  ];
}

function hangsOf(row: Row, { calls, standIns }: Calls): Scenario[] {
  const turn = allRows.indexOf(row);
  const all = calls.some(({ kind }) => kind === "d1") ? [hang(everyCallOf("d1"), turn)] : [];
  if (row.few) return all;
  const limits = standIns.filter(({ kind }) => kind === "limit");
  return [
    ...calls.map((one, index) => hang(one, turn + index)),
    ...limits.map((one) => withoutObject(hang(one, turn))),
    ...all,
  ];
}

/** What is wrong after all of these, with the answers and with what is stored. */
async function wrongsOfAll(row: Row, world: World, usual: Answer, scenarios: Scenario[]) {
  const wrongs = await inPool(5, scenarios, (each) => wrongsOf(row, world, each, usual));
  return [...wrongs.flat(), ...(reads(row) ? [] : await halfStored())];
}

describe("The making of the first owner", () => {
  it("whatever fails: is done, or answers 503 and can be sent again; it works once", async () => {
    const nobody = { cookie: "" } as World;
    for (const row of firstOwner) {
      const { usual, calls } = await learnCalls(row, nobody);
      const failures = failuresOf(row, { usual, calls, standIns: [] });
      for (const each of failures) expect(await wrongsOf(row, nobody, each, usual)).toEqual([]);
    }
    await nobodyIsThere();
  });
});

describe("Whatever binding fails", () => {
  let world: World;
  beforeAll(async () => {
    world = await worldOf();
  });

  it.concurrent.each(named(rows))(
    "%s: answers as ever, or 503 and when to come back; what is done is done, and nothing by halves",
    async (_, row) => {
      const calls = await callsOfRow(row, world);
      const wrongs = await wrongsOfAll(row, world, calls.usual, failuresOf(row, calls));
      expect(wrongs).toEqual([]);
    },
  );

  const some = rows.filter((row) => telling.includes(nameOf(row)));

  it.concurrent.each(d1Messages.map((message) => [message]))(
    'D1 says "%s" of all that it is asked: 503 on every kind of route',
    async (message) => {
      const statuses = await inPool(some.length, some, (row) => saidOf(row, message));
      expect(statuses.map((answer) => answer?.status)).toEqual(some.map(() => 503));
    },
  );

  it("what tells of a defect is 500, and nothing of it is told", async () => {
    for (const answer of await inPool(some.length, some, (row) => saidOf(row, defect))) {
      expect([answer?.status, answer?.body.code]).toEqual([500, "internal"]);
      expect(answer?.text).not.toContain("no such table");
    }
  });

  const saidOf = async (row: Row, message: string) => {
    const fault: Fault = { how: "unmade", error: d1Error(message) };
    const { answer } = await call(row, world, everyD1(fault));
    return answer;
  };
});

describe("Whatever binding hangs", () => {
  const usually = patience.milliseconds;
  let world: World;
  beforeAll(async () => {
    world = await worldOf();
    patience.milliseconds = 200;
  });
  afterAll(() => {
    patience.milliseconds = usually;
  });

  it.concurrent.each(named(oneOfEachRoute))(
    "%s: answers in time, as ever or 503; what is done is done, and nothing by halves",
    async (_, row) => {
      const calls = await callsOfRow(row, world);
      const wrongs = await wrongsOfAll(row, world, calls.usual, hangsOf(row, calls));
      expect(wrongs).toEqual([]);
    },
  );

  it.each(["unmade", "unanswered", "lost", "silent"] as const)(
    "an object whose own database hangs or fails (%s): its requests are answered, the next ones too",
    async (how) => {
      const { id, token } = await newCredential(world);
      const fault = how === "lost" || how === "silent" ? { how } : failing("d1", how, 0);
      await troubleObject(id, everyD1(fault));
      const headers = { Authorization: `Bearer ${token}` };
      for (const time of [1, 2]) {
        const { answer } = await ask("GET", { path: "/api/v1/me", headers });
        expect([time, answer?.status]).toEqual([time, 200]);
      }
    },
  );

  it.each(["fails", "hangs"])(
    "a download that %s on its way is broken off in time: no part is taken for the whole",
    async (how) => {
      const fault: Fault = how === "hangs" ? { how: "lost" } : failing("d1", "unmade", 0);
      const remove = await manyItems(world, 600);
      const path = `/api/v1/forms/${world.form}/submissions/search`;
      const headers = { ...bearerOf(world), Accept: "application/x-ndjson" };
      const sent = { path, headers, body: {} };
      const whole = await ask("POST", sent);
      expect(whole.answer?.text.trim().split("\n").length).toBeGreaterThan(600);
      const places = whole.calls.filter(({ kind }) => kind === "d1").length;
      expect(places).toBeGreaterThan(1);
      const { answer, thrown } = await ask("POST", sent, (asked) =>
        asked.kind === "d1" && asked.place >= places ? fault : undefined,
      );
      expect([answer?.status, thrown.length]).toEqual([undefined, 1]);
      await remove();
    },
  );
});
