import { apiRoot } from "../../src/domain/api-paths.ts";
import type { OperationId } from "../../src/operations/index.ts";
import type { Answer } from "../support/client";
import { routeName } from "../support/routes";
import type { RequestInput } from "./client";
import { bearerOf, type World } from "./world";

/** One way to call a route. */
export interface Row {
  /** The route as the code declares it: `POST /api/v1/apps/:key/records`. */
  route: string;
  /** The variant of the call, for the test title. Empty for the plain call. */
  when: string;
  /** The status without faults. */
  status: number;
  /** Whether to try few faults: the call is slow, or another row covers the same code with all faults. */
  hasFewFaults: boolean;
  /** Whether every response has the same text, except for the request id. */
  isConstant: boolean;
  /** Creates the data of one call. */
  prepare: (world: World) => Promise<PreparedCall>;
}

export interface PreparedCall extends RequestInput {
  /**
   * Throws unless the change is stored. Runs without faults after a success, or after a 503 and a retry. Receives the
   * successful response, if any.
   */
  verifyDone?: (answer: Answer | undefined) => Promise<void>;
  /** The statuses that a retry may return because the first call succeeded despite its 503. */
  retryStatuses?: number[];
  /** For calls that a retry would repeat. Runs after a 503 instead and throws unless the change is stored once or not at all. */
  verifyAfter503?: () => Promise<void>;
  cleanUp?: () => Promise<void>;
}

type Prepare = (world: World) => PreparedCall | Promise<PreparedCall>;

export function row(route: string, status: number, prepare: Prepare, when = ""): Row {
  return {
    route,
    when,
    status,
    isConstant: false,
    hasFewFaults: false,
    prepare: async (world) => prepare(world),
  };
}

/** A call of an operation, with the token of an integrator. */
export const apiRow = (id: OperationId, status: number, prepare: Prepare, when = ""): Row =>
  row(routeName(id), status, asIntegrator(prepare), when);

/** A read of data that no other call changes. */
export const constantRow = (id: OperationId, prepare: Prepare, when = ""): Row => ({
  ...apiRow(id, 200, prepare, when),
  isConstant: true,
});

/** Sends the call with the token of an integrator. */
const asIntegrator = (prepare: Prepare) => async (world: World) => {
  const prepared = await prepare(world);
  const headers = { ...bearerOf(world), ...prepared.headers };
  return { ...prepared, path: apiRoot + prepared.path, headers };
};

/** Two rows for the signed-in owner: as JSON and as a page. `page` is the status of the page if it differs. */
export function adminRows(
  route: string,
  status: number,
  prepare: Prepare,
  { page = status, when = "" }: { page?: number; when?: string } = {},
): Row[] {
  const asOwner = (accept: string) => async (world: World) => {
    const prepared = await prepare(world);
    const headers = { Cookie: world.cookie, Accept: accept, ...prepared.headers };
    return { ...prepared, path: `/admin${prepared.path}`, headers };
  };
  const [method, path] = route.split(" ");
  const adminRoute = `${method} /admin${path === "/" ? "" : path}`;
  return [
    row(adminRoute, status, asOwner("application/json"), when),
    // Pages run the same code and differ only in how they report errors.
    withFewFaults(row(adminRoute, page, asOwner("text/html"), `${when} as a page`.trim())),
  ];
}

export const withFewFaults = (base: Row): Row => ({ ...base, hasFewFaults: true });

export const rowName = ({ route, when }: Row) => (when === "" ? route : `${route}, ${when}`);

/** Throws a plain error instead of failing the test, so that one test can collect all errors. */
export function assertEqual(actual: unknown, expected: unknown): void {
  const [actualJson, expectedJson] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (actualJson !== expectedJson) throw new Error(`got ${actualJson}, expected ${expectedJson}`);
}

export function assertStatus({ status, text }: Answer, expected: number): void {
  if (status !== expected) throw new Error(`got ${status} ${text}, expected ${expected}`);
}
