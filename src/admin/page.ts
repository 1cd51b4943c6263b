import type * as z from "zod/mini";
import type { Context, Handler } from "hono";
import { createMiddleware } from "hono/factory";
import { roleAllows, type Ability } from "#domain/credential/permissions.ts";
import { type FieldError, problem, Problem } from "#domain/problem/problem.ts";
import { problems } from "#domain/problem/catalogue.ts";
import type { AdminContext } from "#http/context.ts";
import type { AdminEnv } from "#http/env.ts";
import { query as validateQuery } from "#http/query.ts";
import { parseForm, readForm, wantsJson, type FormValues } from "./form-input.ts";
import { pageContext, type PageContext } from "./layout.tsx";
import { storeOneTimeSecret } from "./one-time-secret.tsx";
import type { Catalogue } from "./language/index.tsx";
import { readTexts, setFlash, type Flash } from "./preferences.ts";

/** Requires that the member's role has this ability. */
export const requireAbility = (ability: Ability) =>
  createMiddleware<AdminEnv>(async (c, next) => {
    if (!roleAllows(c.var.member.role, ability)) throw problem.roleRequired(ability);
    await next();
  });

type Html = Parameters<Context["html"]>[0];

/** The request data that a page or a form can use. */
export interface AdminRequest<Query = object> {
  c: Context<AdminEnv>;
  ctx: AdminContext;
  /** Returns a parameter of the path. */
  param: (name: string) => string;
  query: Query;
  /** The texts in the language of the request. */
  text: Catalogue;
}

const requestOf = <Query>(c: Context<AdminEnv>, query: Query): AdminRequest<Query> => ({
  c,
  ctx: c.var.action,
  param: (name) => c.req.param(name) ?? "",
  query,
  text: readTexts(c),
});

/** A rejected form: its submitted values, and the problem. */
interface Attempt {
  values: FormValues;
  problem: Problem;
}

interface PageSpec<Loaded, Query extends z.ZodMiniObject> {
  /** The schema of the query. Without it, any parameters are accepted. */
  query?: () => Query;
  /**
   * Loads the data of the page. If it returns a response, the response is sent instead of the page. `attempted` are the
   * values of a rejected form.
   */
  load(request: AdminRequest<z.output<Query>>, attempted?: FormValues): Promise<Loaded>;
  /** Returns the JSON for scripts. Without it, scripts get the page too. */
  document?(data: Exclude<Loaded, Response>, request: AdminRequest<z.output<Query>>): object;
  /** Whether the page shows errors of its query next to the inputs. Otherwise, a separate page shows them. */
  showsQueryErrors?: boolean;
  /** Renders the page. With an attempt, renders it again after the form or the query was rejected. */
  render(frame: PageContext, data: Exclude<Loaded, Response>, attempt?: Attempt): Html;
}

interface ActionSpec<Fields> {
  /** Returns the schema of the body, with errors in the language of the request. Without it, the body is not read. */
  fields?: (text: Catalogue) => z.ZodMiniType<Fields>;
  act(request: AdminRequest, fields: Fields): Promise<Outcome>;
}

interface FormSpec<Fields> extends ActionSpec<Fields> {
  /** Assigns a problem to the inputs of the page. */
  explain?(problem: Problem, text: Catalogue): Problem;
}

/** The response to an accepted form. */
export type Outcome =
  | Response
  /** The new state for scripts. Null if there is none. Browsers get a redirect and a confirmation. */
  | { to: string; flash?: string | Flash; document: object | null; status?: 201 }
  /** A secret that is shown once. Scripts get it in this response, and browsers on the page `${place}/secret`. */
  | { secret: string | null; place: string; document: object; status?: 201 }
  /** The next step of a task. */
  | { page: (frame: PageContext) => Html; document: object };

/** Creates a page with its forms. A rejected form renders the page again. */
export function page<Loaded, Query extends z.ZodMiniObject = z.ZodMiniObject>(
  spec: PageSpec<Loaded, Query>,
) {
  const validate = spec.query && (validateQuery(spec.query) as Handler);
  const load = async (request: AdminRequest<z.output<Query>>, attempted?: FormValues) =>
    (await spec.load(request, attempted)) as Exclude<Loaded, Response> | Response;
  const show: Handler<AdminEnv> = async (c) => {
    if (!spec.showsQueryErrors || wantsJson(c)) return showQuery(c);
    try {
      return await showQuery(c);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "invalid_input") throw error;
      const data = await load(requestOf(c, {} as z.output<Query>));
      if (data instanceof Response) throw error;
      const attempt = { values: c.req.query(), problem: error };
      return c.html(spec.render(pageContext(c), data, attempt), problems[error.code].status);
    }
  };
  const showQuery = async (c: Context<AdminEnv>) => {
    await validate?.(c, async () => undefined);
    const request = requestOf(c, c.req.valid("query" as never) as z.output<Query>);
    const data = await load(request);
    if (data instanceof Response) return data;
    const render = (frame: PageContext) => spec.render(frame, data);
    if (!spec.document) return c.html(render(pageContext(c)));
    return sendOutcome(c, { page: render, document: spec.document(data, request) });
  };
  const renderAgain = async (c: Context<AdminEnv>, error: Problem) => {
    const values = await readForm(c);
    const data = await load(requestOf(c, {} as z.output<Query>), values);
    if (data instanceof Response) throw error;
    return spec.render(pageContext(c), data, { values, problem: error });
  };
  const form =
    <Fields>(formSpec: FormSpec<Fields>): Handler<AdminEnv> =>
    (c) =>
      submitForm(
        c,
        () => perform(c, formSpec),
        (error) => renderAgain(c, formSpec.explain?.(error, readTexts(c)) ?? error),
      );
  return { show, form };
}

/** Creates a form without a page of its own. Its problems appear on the general error page. */
export const action =
  <Fields>(spec: ActionSpec<Fields>): Handler<AdminEnv> =>
  async (c) =>
    sendOutcome(c, await perform(c, spec));

async function perform<Fields>(c: Context<AdminEnv>, spec: ActionSpec<Fields>): Promise<Outcome> {
  const fields = spec.fields ? await parseForm(c, spec.fields(readTexts(c))) : undefined;
  return spec.act(requestOf(c, {}), fields as Fields);
}

/** Sends JSON to scripts, and a page or a redirect to browsers. */
export async function sendOutcome(c: Context, outcome: Outcome): Promise<Response> {
  if (outcome instanceof Response) return outcome;
  const { document } = outcome;
  if ("page" in outcome) {
    c.header("Vary", "Accept");
    return wantsJson(c) ? c.json(document) : c.html(outcome.page(pageContext(c)));
  }
  if (wantsJson(c))
    return document === null ? c.body(null, 204) : c.json(document, outcome.status ?? 200);
  if ("to" in outcome) {
    const { flash } = outcome;
    if (typeof flash === "string") setFlash(c, { text: flash, isPartial: false });
    else if (flash) setFlash(c, flash);
    return c.redirect(outcome.to, 303);
  }
  const { secret, place } = outcome;
  return secret === null ? c.json(document) : storeOneTimeSecret(c, place, secret);
}

/**
 * Handles a submitted form. When `act` throws a problem, browsers get the page again with the errors and their input.
 * Scripts get the problem. Browsers get the problem too when the page cannot be rendered, for example while storage
 * fails.
 */
export async function submitForm(
  c: Context,
  act: () => Promise<Outcome>,
  renderAgain: (error: Problem) => Html,
): Promise<Response> {
  try {
    return await sendOutcome(c, await act());
  } catch (error) {
    if (!(error instanceof Problem) || wantsJson(c)) throw error;
    // If rendering fails too, the problem of the form is more useful than the problem of the page.
    const html = await (async () => renderAgain(error))().catch(() => {
      throw error;
    });
    return c.html(html, problems[error.code].status, error.headers);
  }
}

/**
 * Assigns the field errors of a problem to one input. Each reason names the part of the input's value with the error.
 */
export function withFieldError(
  error: Problem,
  field: string,
  { problems: text }: Catalogue,
): Problem {
  const nestedErrors = (error.members["errors"] ?? []) as FieldError[];
  const errors = nestedErrors.map((nested) => {
    const { field: path } = nested;
    const reason = text.reason(nested, undefined);
    return {
      ...nested,
      pointer: undefined,
      field,
      reason: path === field || path === "" ? reason : text.at(path, reason),
    };
  });
  return error.withErrors(errors.length > 0 ? errors : [{ field, reason: text.detail(error) }]);
}
