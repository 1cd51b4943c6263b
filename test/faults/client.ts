import { env } from "cloudflare:workers";
import type { Timeouts } from "../../src/domain/ports.ts";
import { serve } from "../support/serve";
import { answerOf, host, type Answer } from "../support/client";
import { makeFaulty, noFaults, type FaultyBindings, type Plan } from "./bindings";

/** The content of a request. */
export interface RequestInput {
  path: string;
  body?: object | string;
  headers?: Record<string, string>;
}

export interface Outcome extends FaultyBindings {
  /** Undefined when no complete response came in time. */
  answer: Answer | undefined;
  /** Errors that the service threw to the runtime, from the handler or from background work. */
  thrown: unknown[];
}

/** The longest that a response may take while bindings hang. */
const maxResponseMs = 20_000;

let timeouts: Partial<Timeouts> = {};

/** Replaces timeouts of the service for all later requests. */
export function setTimeouts(replaced: Partial<Timeouts>): void {
  timeouts = replaced;
}

/** The bindings of the suite, with the timeouts that are set. */
export const ownBindings = () => ({ ...env, TIMEOUTS: timeouts });

/** Sends a request to the service with bindings that fail as `plan` says. */
export async function sendRequest(
  method: string,
  input: RequestInput,
  plan: Plan = noFaults,
): Promise<Outcome> {
  const faulty = makeFaulty(ownBindings(), plan);
  const thrown: unknown[] = [];
  const recordError = (error: unknown) => void thrown.push(error);
  const ctx = {
    waitUntil: (work: Promise<unknown>) => void work.catch(recordError),
    passThroughOnException: () => {},
    props: {},
  } as unknown as ExecutionContext;
  const respond = async () => answerOf(await serve(requestOf(method, input), faulty.bindings, ctx));
  const answer = await resultWithin(respond().catch(recordError), maxResponseMs);
  return { ...faulty, thrown, answer: answer ?? undefined };
}

/** Sends a request without faults. Retries 503, since tests shorten the timeouts of the service. */
export async function sendReliably(
  method: string,
  path: string,
  input: Omit<RequestInput, "path"> = {},
): Promise<Answer> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const { answer } = await sendRequest(method, { path, ...input });
    if (answer && answer.status !== 503) return answer;
  }
  throw new Error(`${method} ${path} got no response.`);
}

function requestOf(method: string, { path, body, headers = {} }: RequestInput): Request {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  return new Request(path.startsWith("https://") ? path : host + path, {
    method,
    redirect: "manual",
    headers: { Accept: "application/json", ...type, ...headers },
    ...(body === undefined ? {} : { body: text }),
  });
}

/** The result of `work`, or undefined when it takes longer than `milliseconds`. */
async function resultWithin<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const abort = new AbortController();
  const timeout = scheduler.wait(milliseconds, { signal: abort.signal }).then(
    () => undefined,
    () => undefined,
  );
  const result = await Promise.race([work, timeout]);
  abort.abort();
  return result;
}
