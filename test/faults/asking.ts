import { env } from "cloudflare:workers";
import { app } from "../../src/app.ts";
import { answerOf, host, type Answer } from "../support/client";
import { faulty, nothing, type Faulty, type Plan } from "./bindings";

/** What is sent to a route. */
export interface Sent {
  path: string;
  body?: object | string;
  headers?: Record<string, string>;
}

export interface Outcome extends Faulty {
  /** None where none came in time, or where it was broken off. */
  answer: Answer | undefined;
  /** What was thrown to the runtime, which makes of it a refused request or a line in a log. */
  thrown: unknown[];
}

/** How long an answer may take, whatever hangs. */
const longest = 8000;

/** Sends a request to the service on bindings that fail as `plan` says. */
export async function ask(method: string, sent: Sent, plan: Plan = nothing): Promise<Outcome> {
  const bindings = faulty(env, plan);
  const thrown: unknown[] = [];
  const note = (error: unknown) => void thrown.push(error);
  const ctx = {
    waitUntil: (work: Promise<unknown>) => void work.catch(note),
    passThroughOnException: () => {},
    props: {},
  } as unknown as ExecutionContext;
  const answering = async () =>
    answerOf(await app.fetch(requestOf(method, sent), bindings.bindings, ctx));
  const answer = await inTime(answering().catch(note), longest);
  return { ...bindings, thrown, answer: answer ?? undefined };
}

/** The answer of a service on which nothing fails, though it may be short of patience. */
export async function askSteadily(
  method: string,
  path: string,
  rest: Omit<Sent, "path"> = {},
): Promise<Answer> {
  for (let tries = 1; tries <= 5; tries += 1) {
    const { answer } = await ask(method, { path, ...rest });
    if (answer && answer.status !== 503) return answer;
  }
  throw new Error(`${method} ${path} is not answered.`);
}

function requestOf(method: string, { path, body, headers = {} }: Sent): Request {
  const written = typeof body === "string" ? body : JSON.stringify(body);
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  return new Request(path.startsWith("https://") ? path : host + path, {
    method,
    redirect: "manual",
    headers: { Accept: "application/json", ...type, ...headers },
    ...(body === undefined ? {} : { body: written }),
  });
}

/** What this gives, or nothing when it takes longer than `milliseconds`. */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const waiting = new AbortController();
  const over = scheduler.wait(milliseconds, { signal: waiting.signal }).then(
    () => undefined,
    () => undefined,
  );
  const given = await Promise.race([work, over]);
  waiting.abort();
  return given;
}
