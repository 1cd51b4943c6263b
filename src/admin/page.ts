import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { may, type Ability } from "#domain/credential/permissions.ts";
import { problem, Problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { wantsJson } from "./form-input.ts";
import { problems } from "#domain/problem/catalogue.ts";

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

/** A refusal of what one input sent: told beside it, with the places inside it that are named. */
export function toldAt(refusal: Problem, field: string): Problem {
  const { code, detail, members, headers } = refusal;
  const inside = (members["errors"] ?? []) as { field: string; reason: string }[];
  const errors = inside.map((each) => ({
    field,
    reason:
      each.field === field || each.field === "" ? each.reason : `${each.field}: ${each.reason}`,
  }));
  const whole = [{ field, reason: detail }];
  return new Problem(
    code,
    detail,
    { ...members, errors: errors.length > 0 ? errors : whole },
    headers,
  );
}
