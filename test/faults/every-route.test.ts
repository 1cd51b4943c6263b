import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Answer } from "../support/client";
import { routeName, routes } from "../support/routes";
import { isFullSize, unsized } from "../support/size";
import { sendRequest, setTimeouts, type Outcome } from "./client";
import {
  failAt,
  d1Error,
  d1Messages,
  defectMessage,
  firstFault,
  errorFault,
  type Call,
  type Fault,
  type Kind,
} from "./bindings";
import { findInconsistencies } from "./consistency";
import { callRoute, findErrors, isRead, mapInPool, type Scenario } from "./assertions";
import { rowName, type Row } from "./routes";
import { apiRows } from "./api-routes";
import { allAdminRows, firstOwner, oauthRows, pageRows } from "./admin-routes";
import {
  bearerOf,
  makeWorld,
  insertItems,
  newCredential,
  deleteMembers,
  setObjectFaults,
  type World,
} from "./world";

vi.spyOn(console, "log").mockReturnValue();

/** Every route of the service. The first test fails for a missing route. */
const rows: Row[] = [...apiRows, ...oauthRows, ...pageRows, ...allAdminRows];
const allRows = [...rows, ...firstOwner];
const oneOfEachRoute = [...Map.groupBy(rows, ({ route }) => route).values()].flatMap(
  ([first]) => first ?? [],
);
const namedRows = (list: Row[]) => list.map((row) => [rowName(row), row] as const);
/** In `npm test`, a tenth of the routes, each with its first row. */
const someRoutes = oneOfEachRoute.filter((_, index) => index % 10 === 0);

let sharedWorld: Promise<World> | undefined;
const getWorld = () => (sharedWorld ??= makeWorld());

unsized.it("covers every route of the service", () => {
  const listed = new Set(allRows.map(({ route }) => route));
  expect([...listed].toSorted()).toEqual([...routes.keys()].toSorted());
});

/** Typical rows: read, search, create, change and delete, in the API and the administration. */
const typicalRows = [
  routeName("getFormDefinition"),
  `${routeName("searchRecords")}, with conditions`,
  `${routeName("createRecord")}, with a key`,
  routeName("updateSubmission"),
  routeName("deleteSubmission"),
  `${routeName("putFormDefinition")}, that creates`,
  "GET /admin/forms/:key/items",
  "POST /admin/integrations",
];

type Target = Pick<Call, "kind"> & { position: number | "every" };

const isLater = (position: Target["position"]) => position !== "every" && position > 1;

/** The scenario of one error; `turn` selects it. */
function errorScenario(
  { kind, position }: Target,
  mode: "fails_before" | "fails_after",
  turn: number,
): Scenario {
  const fault = errorFault(kind, mode, turn);
  const name = `${kind} ${position} ${mode} ("${fault.error.message}")`;
  return { name, plan: failAt(kind, position, () => fault), isLater: isLater(position) };
}

const hangFaults: Fault[] = [
  { mode: "hangs_before" },
  { mode: "hangs_after" },
  { mode: "queued", milliseconds: 400 },
];

function hangScenario({ kind, position }: Target, turn: number): Scenario {
  const fault = hangFaults[turn % hangFaults.length] as Fault;
  return {
    name: `${kind} ${position} ${fault.mode}`,
    plan: failAt(kind, position, () => fault),
    isLater: isLater(position),
  };
}

const failEveryD1Call = (fault: Fault) => failAt("d1", "every", () => fault);
const objectsUnreachable = failAt("object", "every", () => errorFault("object", "fails_before", 0));
const withoutObject = ({ name, plan, ...scenario }: Scenario): Scenario => ({
  ...scenario,
  name: `without objects, ${name}`,
  plan: firstFault(objectsUnreachable, plan),
});

/** The first calls before the response. Lists of credentials call the object of each one, hence the maximum. */
const callsOf = ({ calls }: Outcome) =>
  calls.filter(({ method, position }) => method !== "note" && position <= 6);

interface Calls {
  expected: Answer;
  calls: Call[];
  /** The calls to other bindings while the object is unreachable. */
  fallbackCalls: Call[];
}

/** The calls of each row without faults, recorded once. */
const callsByRow = new Map<Row, Promise<Calls>>();

function callsOfRow(row: Row, world: World): Promise<Calls> {
  const calls = callsByRow.get(row) ?? recordCalls(row, world);
  callsByRow.set(row, calls);
  return calls;
}

async function recordCalls(row: Row, world: World): Promise<Calls> {
  const outcome = await callRoute(row, world);
  const { answer } = outcome;
  if (answer?.status !== row.status) throw new Error(`${answer?.status} ${answer?.text}`);
  const calls = callsOf(outcome);
  const usesObjects = isFullSize && calls.some(({ kind }) => kind === "object");
  const callsWithoutObjects = usesObjects
    ? callsOf(await callRoute(row, world, objectsUnreachable))
    : [];
  return {
    expected: answer,
    calls,
    fallbackCalls: callsWithoutObjects.filter(({ kind }) => kind !== "object"),
  };
}

/** Only writes are worth failing after they ran: a failed read changes nothing. */
const mayStore = ({ method }: Call) => ["batch", "run", "put", "change"].includes(method);
const everyCallOf = (kind: Kind): Target => ({ kind, position: "every" });

const everyCallSlow: Scenario = {
  name: "every call is slow",
  plan: () => ({ mode: "slow", milliseconds: 5 }),
  mustSucceed: true,
};

/** The error scenarios for the calls of a route. */
function failuresOf(row: Row, { calls, fallbackCalls }: Calls): readonly Scenario[] {
  const turn = allRows.indexOf(row);
  if (row.hasFewFaults || !isFullSize) return fewFailuresOf(calls, turn);
  const writes = isRead(row) ? [] : calls.filter(mayStore);
  const kinds = (["d1", "object"] as const).filter((kind) =>
    calls.some((call) => call.kind === kind),
  );
  return [
    ...calls.map((call, index) => errorScenario(call, "fails_before", turn + index)),
    ...writes.map((call, index) => errorScenario(call, "fails_after", turn + index + 4)),
    ...kinds.map((kind) => errorScenario(everyCallOf(kind), "fails_before", turn)),
    ...fallbackCalls.map((call, index) =>
      withoutObject(errorScenario(call, "fails_before", turn + index)),
    ),
    ...(row.when === "" && calls.length > 0 ? [everyCallSlow] : []),
  ];
}

/** Scenarios for the last call and the last write only. */
function fewFailuresOf(calls: readonly Call[], turn: number): Scenario[] {
  const [lastCall, lastWrite] = [calls.at(-1), calls.findLast(mayStore)];
  return [
    ...(lastCall ? [errorScenario(lastCall, "fails_before", turn)] : []),
    ...(lastWrite ? [errorScenario(lastWrite, "fails_after", turn + 4)] : []),
  ];
}

function hangsOf(row: Row, { calls, fallbackCalls }: Calls): readonly Scenario[] {
  const turn = allRows.indexOf(row);
  const allD1Hang = calls.some(({ kind }) => kind === "d1")
    ? [hangScenario(everyCallOf("d1"), turn)]
    : [];
  if (row.hasFewFaults || !isFullSize) return allD1Hang;
  const limiterCalls = fallbackCalls.filter(({ kind }) => kind === "limit");
  return [
    ...calls.map((call, index) => hangScenario(call, turn + index)),
    ...limiterCalls.map((call) => withoutObject(hangScenario(call, turn))),
    ...allD1Hang,
  ];
}

/** Runs all scenarios. Returns the violations in responses and in the database. */
async function findErrorsOfAll(
  row: Row,
  world: World,
  expected: Answer,
  scenarios: readonly Scenario[],
) {
  const errors = await mapInPool(5, scenarios, (scenario) =>
    findErrors(row, world, scenario, expected),
  );
  return [...errors.flat(), ...(isRead(row) ? [] : await findInconsistencies())];
}

describe("Setup of the first owner", () => {
  it("succeeds once, or returns 503 and can be retried, when any binding fails", async () => {
    const emptyWorld = { cookie: "" } as World;
    for (const row of firstOwner) {
      const { expected, calls } = await recordCalls(row, emptyWorld);
      const failures = failuresOf(row, { expected, calls, fallbackCalls: [] });
      for (const scenario of failures)
        expect(await findErrors(row, emptyWorld, scenario, expected)).toEqual([]);
    }
    await deleteMembers();
  });
});

describe("Failing bindings", () => {
  let world: World;
  beforeAll(async () => {
    world = await getWorld();
  });

  it.concurrent.each(namedRows(isFullSize ? rows : someRoutes))(
    "%s: returns the usual status, or 503 with Retry-After, and stores nothing partially",
    async (_, row) => {
      const calls = await callsOfRow(row, world);
      const errors = await findErrorsOfAll(row, world, calls.expected, failuresOf(row, calls));
      expect(errors).toEqual([]);
    },
  );

  const selectedRows = rows.filter((row) => typicalRows.includes(rowName(row)));

  unsized.it.concurrent.each(d1Messages.map((message) => [message]))(
    'return 503 on typical routes when every D1 call fails with "%s"',
    async (message) => {
      const answers = await mapInPool(selectedRows.length, selectedRows, (row) =>
        callFailingD1(row, message),
      );
      expect(answers.map((answer) => answer?.status)).toEqual(selectedRows.map(() => 503));
    },
  );

  unsized.it("return 500 `internal` for a defect, without its message", async () => {
    for (const answer of await mapInPool(selectedRows.length, selectedRows, (row) =>
      callFailingD1(row, defectMessage),
    )) {
      expect([answer?.status, answer?.body.code]).toEqual([500, "internal"]);
      expect(answer?.text).not.toContain("no such column");
    }
  });

  const callFailingD1 = async (row: Row, message: string) => {
    const fault: Fault = { mode: "fails_before", error: d1Error(message) };
    const { answer } = await callRoute(row, world, failEveryD1Call(fault));
    return answer;
  };
});

describe("Hanging bindings", () => {
  let world: World;
  beforeAll(async () => {
    world = await getWorld();
    setTimeouts({ storageMs: 200 });
  });
  afterAll(() => {
    setTimeouts({});
  });

  it.concurrent.each(namedRows(isFullSize ? oneOfEachRoute : someRoutes))(
    "%s: returns the usual status or 503 in time, and stores nothing partially",
    async (_, row) => {
      const calls = await callsOfRow(row, world);
      const errors = await findErrorsOfAll(row, world, calls.expected, hangsOf(row, calls));
      expect(errors).toEqual([]);
    },
  );

  unsized.it.each(["fails", "hangs"])(
    "abort a download that %s midway, so that a part is not taken for all",
    async (mode) => {
      const fault: Fault =
        mode === "hangs" ? { mode: "hangs_before" } : errorFault("d1", "fails_before", 0);
      const removeItems = await insertItems(world, 600);
      const path = `/api/v1/forms/${world.form}/submissions/search`;
      const headers = { ...bearerOf(world), Accept: "application/x-ndjson" };
      const input = { path, headers, body: {} };
      const complete = await sendRequest("POST", input);
      expect(complete.answer?.text.trim().split("\n").length).toBeGreaterThan(600);
      const d1CallCount = complete.calls.filter(({ kind }) => kind === "d1").length;
      expect(d1CallCount).toBeGreaterThan(1);
      const { answer, thrown } = await sendRequest("POST", input, (call) =>
        call.kind === "d1" && call.position >= d1CallCount ? fault : undefined,
      );
      expect([answer?.status, thrown.length]).toEqual([undefined, 1]);
      await removeItems();
    },
  );

  unsized.it.concurrent.each([
    "fails_before",
    "fails_after",
    "hangs_before",
    "hangs_after",
  ] as const)(
    "return 200 to requests when the database of the object has a fault (%s)",
    async (mode) => {
      const { id, token } = await newCredential(world);
      const fault =
        mode === "hangs_before" || mode === "hangs_after" ? { mode } : errorFault("d1", mode, 0);
      await setObjectFaults(id, failEveryD1Call(fault));
      const headers = { Authorization: `Bearer ${token}` };
      for (const attempt of [1, 2]) {
        const { answer } = await sendRequest("GET", { path: "/api/v1/me", headers });
        expect([attempt, answer?.status]).toEqual([attempt, 200]);
      }
    },
  );
});
