import type { Answer } from "../support/client";
import type { Sent } from "./asking";
import { bearerOf, type World } from "./world";

/** One way to call a route. */
export interface Row {
  /** As the code names it: `POST /api/v1/apps/:key/records`. */
  route: string;
  /** What is particular about this call. */
  when: string;
  /** What it answers when nothing fails. */
  status: number;
  /** Whether few faults are tried: where it takes long, or does what another row does that has them all. */
  few: boolean;
  /** Whether it answers the same text each time, but for the request's id. */
  same: boolean;
  /** Makes what the call is about, for one run alone. */
  prepare: (world: World) => Promise<Prepared>;
}

export interface Prepared extends Sent {
  /**
   * Throws unless that is true which is to be, once the service has said that it is done, asked without faults. After a 503 the call is
   * sent again first; the answer is the one that said done, if either did.
   */
  done?: (answer: Answer | undefined) => Promise<void>;
  /** What may be answered when a call is sent again that was done, though its answer was 503. */
  again?: number[];
  /** For what cannot be sent again without being done twice: throws unless that is true which is to be, after a 503. */
  unknown?: () => Promise<void>;
  after?: () => Promise<void>;
}

type Preparing = (world: World) => Prepared | Promise<Prepared>;

export function row(route: string, status: number, prepare: Preparing, when = ""): Row {
  return {
    route,
    when,
    status,
    same: false,
    few: false,
    prepare: async (world) => prepare(world),
  };
}

/** A read of what no other run changes. */
export function sameRow(route: string, prepare: Preparing, when = ""): Row {
  return { ...row(route, 200, prepare, when), same: true };
}

/** As an integrator of the API. */
export const asIntegrator = (prepare: Preparing) => async (world: World) => {
  const prepared = await prepare(world);
  const headers = { ...bearerOf(world), ...prepared.headers };
  return { ...prepared, path: `/api/v1${prepared.path}`, headers };
};

/** As the owner who is signed in, in scripts and on pages; these answer with another status where one is given. */
export function areaRows(
  route: string,
  status: number,
  prepare: Preparing,
  { page = status, when = "" }: { page?: number; when?: string } = {},
): Row[] {
  const signedIn = (accept: string) => async (world: World) => {
    const prepared = await prepare(world);
    const headers = { Cookie: world.cookie, Accept: accept, ...prepared.headers };
    return { ...prepared, path: `/admin${prepared.path}`, headers };
  };
  const [method, path] = route.split(" ");
  const named = `${method} /admin${path === "/" ? "" : path}`;
  return [
    row(named, status, signedIn("application/json"), when),
    // The same calls, though what fails is told otherwise.
    few(row(named, page, signedIn("text/html"), `${when} as a page`.trim())),
  ];
}

export const few = (each: Row): Row => ({ ...each, few: true });

export const nameOf = ({ route, when }: Row) => (when === "" ? route : `${route}, ${when}`);

/** Throws where something is not what it is to be, so that it can be told with what went before. */
export function agree(found: unknown, expected: unknown): void {
  const [told, wanted] = [JSON.stringify(found), JSON.stringify(expected)];
  if (told !== wanted) throw new Error(`${told} in place of ${wanted}`);
}

export function agreeStatus({ status, text }: Answer, expected: number): void {
  if (status !== expected) throw new Error(`${status} ${text} in place of ${expected}`);
}
