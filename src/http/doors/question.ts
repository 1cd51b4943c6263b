import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import type { ReadContext } from "#actions/context.ts";
import type { AppEnv } from "#http/env.ts";

/**
 * What a door or a handler reads of the database. It knows nothing of who asks, so that it is asked as soon as the
 * bearer's signature is right, beside the credential's object; nobody sees the answer before the doors in front of
 * whoever asks are passed. It may be asked twice, of a replica and of the primary.
 */
export type Question<T> = (
  ctx: ReadContext,
  params: Readonly<Record<string, string>>,
  c: Context<AppEnv>,
) => Promise<T>;

/** Gives the answer to a question, whether it was asked ahead or is asked now. */
export type Read = <T>(question: Question<T>) => Promise<T>;

const questions = new WeakMap<object, Question<unknown>>();

/** Declares what a door or a handler will read. */
export function asking<Handler extends object>(
  question: Question<unknown>,
  handler: Handler,
): Handler {
  questions.set(handler, question);
  return handler;
}

/** What the last asking door of the route will read; the doors before it need no more than a part of that. */
export function questionOf(c: Context) {
  const routes = matchedRoutes(c);
  const index = routes.findLastIndex(({ handler }) => questions.has(handler));
  const handler = routes[index]?.handler;
  const question = handler && questions.get(handler);
  return question && { question, params: paramsAt(c, index) };
}

/** The parameters of a path as one of its routes names them; the router tells those of the door that is at work. */
function paramsAt({ req }: Context, index: number): Record<string, string> {
  const atWork = req.routeIndex;
  req.routeIndex = index;
  const params = req.param();
  req.routeIndex = atWork;
  return params;
}
