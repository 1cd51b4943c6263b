import type { AppEnv, Reading } from "../../env";
import type { News } from "../../gate/news";
import { logMended } from "./log";

interface Pending extends News {
  /** When it is told if no request takes it along; milliseconds since 1970. */
  dueAt: number;
}

/**
 * What the objects of credentials have not been told yet. It travels with the credential's next request, so that it costs
 * no call of its own; when none comes, it is told behind the last answer.
 */
const pending = new Map<string, Pending>();
/** Of one credential at a time; a flood of refused calls beyond that is not told in full. */
const mostPending = 1000;

/** How long news waits for a next request; milliseconds. */
export const waiting = { refused: 1000, served: 7000 };

/** The news to tell the object of now. */
export function takeNews(credentialId: string): News | undefined {
  const news = pending.get(credentialId);
  pending.delete(credentialId);
  return news && { calls: news.calls, told: news.told };
}

/** What could not be told of writes waits for the next request. Calls do not: they may be in the log already. */
export function returnNews(credentialId: string, { told }: News): void {
  add(newsOf(credentialId), { told });
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
  const wait = urgent ? waiting.refused : waiting.served;
  const dueAt = Date.now() + wait;
  if (dueAt >= mine.dueAt) return;
  mine.dueAt = dueAt;
  c.executionCtx.waitUntil(tellLater(c.env, credentialId, mine, wait));
}

function newsOf(credentialId: string): Pending {
  const known = pending.get(credentialId);
  if (known) return known;
  const news: Pending = { calls: [], told: [], dueAt: Infinity };
  pending.set(credentialId, news);
  return news;
}

function add(news: News, { calls = [], told = [] }: Partial<News>): void {
  news.calls.push(...calls.slice(0, mostPending - news.calls.length));
  news.told.push(...told.slice(0, mostPending - news.told.length));
}

async function tellLater(
  env: Bindings,
  credentialId: string,
  mine: Pending,
  milliseconds: number,
): Promise<void> {
  await scheduler.wait(milliseconds);
  // A request has taken it along meanwhile.
  if (pending.get(credentialId) !== mine) return;
  pending.delete(credentialId);
  try {
    await env.GATE.getByName(credentialId).note({ calls: mine.calls, told: mine.told });
  } catch (error) {
    logMended("calls not logged", error);
  }
}
