import type { AppEnv, Reading } from "./env.ts";
import type { News, Refusal } from "#gate/call-log.ts";
import { logMended } from "./log.ts";
import { type FieldError, Problem } from "#domain/problem/problem.ts";
import { problems, type ProblemCode } from "#domain/problem/catalogue.ts";
import type { Context } from "hono";

interface Pending extends News {
  /** When it is told if no request takes it along; milliseconds since 1970. */
  dueAt: number;
  /** Who waits behind an answer to look at it, and when. */
  looker: object | undefined;
  looksAt: number;
}

/**
 * What the objects of credentials have not been told yet. It travels with the credential's next request, so that it costs
 * no call of its own; when none comes, it is told behind an answer.
 */
const pending = new Map<string, Pending>();
/** Of one credential at a time; a flood of refused calls beyond that is not told in full. */
const mostPending = 1000;

/** How long news waits for a next request; milliseconds. */
export const waiting = { refused: 1000, served: 7000 };

/** So long one answer's request looks after what comes behind it; a Worker has 30 s after its answer. */
const longest = 15_000;
/** Who has not looked so long after he should have will not. */
const lost = 2000;

/** The news to tell the object of now. */
export function takeNews(credentialId: string): News | undefined {
  const news = pending.get(credentialId);
  return news && takeFrom(news);
}

function takeFrom(news: Pending): News | undefined {
  const { calls, told } = news;
  Object.assign(news, { calls: [], told: [], dueAt: Infinity });
  return calls.length + told.length > 0 ? { calls, told } : undefined;
}

/** What could not be told of writes waits for the next request. Calls do not: they may be in the log already. */
export function returnNews(credentialId: string, { told }: News): void {
  if (told.length > 0) add(newsOf(credentialId), { told });
}

/** Tells the object with the next request; without one within a second where it is urgent, a little later otherwise. */
export function keepNews(
  c: Pick<Reading<AppEnv>, "env" | "executionCtx">,
  credentialId: string,
  news: Partial<News>,
  urgent = false,
): void {
  const mine = newsOf(credentialId);
  add(mine, news);
  const now = Date.now();
  const dueAt = now + (urgent ? waiting.refused : waiting.served);
  if (dueAt < mine.dueAt) mine.dueAt = dueAt;
  const looks = mine.looker !== undefined && mine.looksAt > now - lost;
  if (looks && mine.looksAt <= mine.dueAt) return;
  c.executionCtx.waitUntil(lookAfter(c.env, credentialId, mine, now));
}

function newsOf(credentialId: string): Pending {
  const known = pending.get(credentialId);
  if (known) return known;
  const news: Pending = { calls: [], told: [], dueAt: Infinity, looker: undefined, looksAt: 0 };
  pending.set(credentialId, news);
  return news;
}

function add(news: News, { calls = [], told = [] }: Partial<News>): void {
  news.calls.push(...calls.slice(0, mostPending - news.calls.length));
  news.told.push(...told.slice(0, mostPending - news.told.length));
}

/** Looks when news is due, and at what has come since: one waits for many requests, and not each for itself. */
async function lookAfter(
  env: Bindings,
  credentialId: string,
  mine: Pending,
  since: number,
): Promise<void> {
  const me = {};
  for (let now = since; mine.dueAt < Infinity; now = Date.now()) {
    const stays = now - since < longest;
    // Whoever comes after the last look has to look for himself.
    mine.looker = stays ? me : undefined;
    mine.looksAt = mine.dueAt;
    await scheduler.wait(mine.dueAt - now);
    // Somebody else looks sooner.
    if (stays && mine.looker !== me) return;
    const news = mine.dueAt <= Date.now() ? takeFrom(mine) : undefined;
    if (news) await tell(env, credentialId, news);
    if (!stays) break;
  }
  if (mine.looker === me) mine.looker = undefined;
  // What was returned waits for the next request.
  const isDone = mine.looker === undefined && mine.calls.length + mine.told.length === 0;
  if (isDone && pending.get(credentialId) === mine) pending.delete(credentialId);
}

async function tell(env: Bindings, credentialId: string, news: News): Promise<void> {
  try {
    await env.GATE.getByName(credentialId).note(news);
  } catch (error) {
    logMended("calls not logged", error);
  }
}

const mostPath = 200;
const mostWrong = 5;
const mostName = 80;
const mostParameters = 8;

/** A secret that somebody put into an address is none of the log's business. */
const secrets = /ef[psa]_[A-Za-z0-9_-]{8,}/g;
const parameterName = /^[A-Za-z_][\w.[\]-]{0,39}$/;

/** The address of a call, with the names of its parameters and not their values. */
export function loggedPath(url: string): string {
  const [address = "", ...sent] = url.split("?");
  const pathname = address.slice(address.indexOf("/", address.indexOf("://") + 3));
  const names =
    sent.length === 0
      ? []
      : [...new Set(new URLSearchParams(sent.join("?")).keys())].slice(0, mostParameters);
  const query = names.map((name) => `${parameterName.test(name) ? name : "…"}=…`).join("&");
  const path = cut(
    pathname.replaceAll(secrets, (secret) => `${secret.slice(0, 4)}…`),
    mostPath,
  );
  return query === "" ? path : `${path}?${query}`;
}

/** Why a call was refused; undefined where it was answered as asked. */
export function loggedRefusal(status: number, problem: Problem | undefined): Refusal | undefined {
  if (status < 400) return undefined;
  const code = problem?.code ?? codeOf(status);
  const { required_permission: permission, errors, field, reason } = problem?.members ?? {};
  return {
    code,
    ...(typeof permission === "string" ? { permission } : {}),
    ...(Array.isArray(errors) ? { wrong: wrongIn(errors as FieldError[]) } : {}),
    ...(code === "duplicate" || code === "submissions_closed"
      ? { about: cut(String(field ?? reason), mostName) }
      : {}),
  };
}

function wrongIn(errors: readonly FieldError[]): Required<Refusal>["wrong"] {
  return errors.slice(0, mostWrong).map(({ field, code }) => ({
    field: cut(
      field.replaceAll(secrets, (secret) => `${secret.slice(0, 4)}…`),
      mostName,
    ),
    code,
  }));
}

/** What was answered without being thrown says its kind by its status. */
function codeOf(status: number): ProblemCode {
  const codes = Object.keys(problems) as ProblemCode[];
  return codes.find((code) => problems[code].status === status) ?? "internal";
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Notes a call that began at `started` and was answered with `status`, or refused as `error` or its deed says. */
export function noteCall(
  c: Reading<AppEnv> & Pick<Context, "error">,
  credentialId: string,
  started: number,
  status: number,
  error: unknown = c.error,
): void {
  const { deed, requestId } = c.var;
  const problem = deed?.refusal ?? (error instanceof Problem ? error : undefined);
  const told = deed?.refusal?.status ?? status;
  const refusal = loggedRefusal(told, problem);
  const path = loggedPath(c.req.url);
  const call = {
    at: started,
    method: c.req.method,
    path: deed ? `${path} ${deed.name}` : path,
    status: told,
    milliseconds: Date.now() - started,
    requestId,
    ...(refusal ? { refusal } : {}),
  };
  keepNews(c, credentialId, { calls: [call] }, told >= 400);
}
