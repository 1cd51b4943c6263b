import type { Context } from "hono";
import type { AppEnv } from "../../env";
import { readContext } from "../../http/doors/action-context";
import { keepNewest } from "../../http/doors/keep-newest";
import { questionOf, type Question, type Read } from "../../http/doors/question";

/** Sessions that this isolate has seen hold. */
const held = new Map<string, true>();

export function noteSession(hash: string, holds: boolean): void {
  if (!holds) held.delete(hash);
  else if (hash !== "") keepNewest(held, hash, true);
}

/**
 * Asks what the page shows beside the session itself, where that held before: nobody sees it if it holds no more. With
 * any other session nothing is asked, so that made-up ones cost the database no page.
 */
export function askBeside(c: Context, hash: string): Read {
  const ask = <T>(question: Question<T>, params = c.req.param()) =>
    question(readContext(c as Context<AppEnv>), params, c);
  const found = held.has(hash) ? questionOf(c) : undefined;
  const answer = found && ask(found.question, found.params);
  answer?.catch(() => undefined);
  return async <T>(question: Question<T>) =>
    found?.question === question ? (answer as Promise<T>) : ask(question);
}
