import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import * as z from "zod/mini";
import { may, type Ability } from "../../domain/credential/permissions";
import { Problem, problem } from "../../domain/problem/problem";
import { problems } from "../../domain/problem/problem-catalogue";
import type { AdminEnv } from "../../env";
import { wantsJson } from "./negotiate";

/** Lets those through whose role may do this. */
export const able = (ability: Ability) =>
  createMiddleware<AdminEnv>(async (c, next) => {
    if (!may(c.var.member.role, ability)) throw problem.roleRequired(ability);
    await next();
  });

type Html = Parameters<Context["html"]>[0];

/** A page of this area, to go back to; anywhere else is the overview. */
export const Back = z.pipe(
  z.optional(z.string().check(z.maxLength(8000))),
  z.transform((path: string | undefined) => ownPath(path) ?? "/admin"),
);

/** A path of this area as it stands in an address of ours; undefined for what leads anywhere else. */
export function ownPath(path: string | undefined): string | undefined {
  return path !== undefined && /^\/admin(?:[/?#][\x21-\x7e]*)?$/.test(path) ? path : undefined;
}

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

/**
 * Does something with a form that was sent. When it is refused, people get their page again, with what was wrong and
 * all that they had written; scripts get the problem. So do people whose page cannot be drawn again: storage may be out
 * of reach for that too, or what was refused may have been done.
 */
export async function attempted(
  c: Context,
  act: () => Promise<Response>,
  again: (refusal: Problem) => Html | Promise<Html>,
): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || wantsJson(c)) throw error;
    const page = await drawnAgain(error, again);
    return c.html(page, problems[error.code].status, error.headers);
  }
}

async function drawnAgain(
  refusal: Problem,
  again: (refusal: Problem) => Html | Promise<Html>,
): Promise<Html> {
  try {
    return await again(refusal);
  } catch {
    throw refusal;
  }
}
