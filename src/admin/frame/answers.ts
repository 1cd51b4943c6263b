import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { may, type Ability } from "../../domain/credential/roles";
import { problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { wantsJson } from "./negotiate";

/** Lets those through whose role may do this. */
export const able = (ability: Ability) =>
  createMiddleware<AdminEnv>(async (c, next) => {
    if (!may(c.var.member.role, ability)) throw problem.roleRequired(ability);
    await next();
  });

export type Html = Parameters<Context["html"]>[0];

/** JSON for scripts, a page for people. */
export function answer(
  c: Context<AdminEnv>,
  document: object,
  page: () => Html,
  status: 200 | 201 = 200,
): Response | Promise<Response> {
  c.header("Vary", "Accept");
  return wantsJson(c) ? c.json(document, status) : c.html(page(), status);
}

/** After a change: what is now, or the page that shows it. */
export function answerDone(
  c: Context,
  document: object | null,
  location: string,
  status: 200 | 201 = 200,
): Response {
  if (!wantsJson(c)) return c.redirect(location, 303);
  return document === null ? c.body(null, 204) : c.json(document, status);
}
