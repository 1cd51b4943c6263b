import * as z from "zod/mini";
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { errorAt, zodErrors } from "#domain/problem/field-errors.ts";
import { isObject } from "#domain/json.ts";
import { problem } from "#domain/problem/problem.ts";
import { parseBody } from "#http/body.ts";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "#http/env.ts";

/** Pages for people, JSON for scripts: each route answers both. */
export function wantsJson(c: Context): boolean {
  const type = accepts(c, {
    header: "Accept",
    supports: ["text/html", "application/json"],
    default: "text/html",
  });
  return type === "application/json";
}

/** The fields of a form, or of a JSON object, as `schema` reads them. */
export async function readFields<Schema extends z.ZodMiniType>(
  c: Context,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(await readSent(c), { reportInput: true });
  if (!parsed.success) throw problem.invalidInput(zodErrors(parsed.error.issues));
  return parsed.data;
}

/** What was sent, as it was sent. */
export async function readSent(c: Context): Promise<Record<string, unknown>> {
  const isJson = (c.req.header("Content-Type") ?? "").startsWith("application/json");
  const sent = await readBody(c, isJson);
  if (isObject(sent)) return sent;
  throw problem.invalidInput([errorAt([], "invalid_type", "Must be of type object.")]);
}

async function readBody(c: Context, isJson: boolean): Promise<unknown> {
  if (isJson) return parseBody(await c.req.arrayBuffer());
  try {
    return await c.req.parseBody({ all: true });
  } catch {
    throw problem.malformedJson("The body is neither valid JSON nor a valid form.");
  }
}

/** What a form sent, by the names of its inputs. */
export type Sent = Record<string, unknown>;

/** A value as an input shows it. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** A number that an input or a script sent; none where it is something else. */
export function numberOf(value: unknown): number {
  return textOf(value).trim() === "" ? Number.NaN : Number(textOf(value));
}

/** A page of this area, to go back to; anywhere else is the overview. */
export const Back = z.pipe(
  z.optional(z.string().check(z.maxLength(8000))),
  z.transform((path: string | undefined) => ownPath(path) ?? "/admin"),
);

/** A path of this area as it stands in an address of ours; undefined for what leads anywhere else. */
export function ownPath(path: string | undefined): string | undefined {
  return path !== undefined && /^\/admin(?:[/?#][\x21-\x7e]*)?$/.test(path) ? path : undefined;
}

/**
 * Refuses requests that another site makes with a member's cookie. Browsers always say where a POST comes from;
 * a request that says nothing comes from a script, which has no cookie that was not given to it.
 */
export const sameOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const safe = c.req.method === "GET" || c.req.method === "HEAD";
  if (!safe && !isOwn(c.req.header("Origin"), c.req.header("Sec-Fetch-Site"), c.req.url)) {
    throw problem.crossSite();
  }
  await next();
});

function isOwn(origin: string | undefined, site: string | undefined, url: string): boolean {
  // Browsers alone can say this, and no page can change it.
  if (site !== undefined) return site === "same-origin" || site === "none";
  return origin === undefined || origin === new URL(url).origin;
}
