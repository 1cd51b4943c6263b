import * as z from "zod/mini";
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { bodyParseOptions, errorAt, zodErrors } from "#domain/problem/field-errors.ts";
import type { Field } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { toHalfWidth } from "#domain/text.ts";
import { problem } from "#domain/problem/problem.ts";
import { parseBody } from "#http/body.ts";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "#http/env.ts";
import { lazy } from "#domain/lazy.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** Whether the client accepts JSON. Every route serves pages to browsers and JSON to scripts. */
export function wantsJson(c: Context): boolean {
  const type = accepts(c, {
    header: "Accept",
    supports: ["text/html", "application/json"],
    default: "text/html",
  });
  return type === "application/json";
}

/** Parses a form or a JSON object with `schema`. Throws 422 for invalid fields. */
export async function parseForm<Schema extends z.ZodMiniType>(
  c: Context,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(await readForm(c), bodyParseOptions);
  if (!parsed.success) throw problem.invalidInput(zodErrors(parsed.error.issues));
  return parsed.data;
}

/** Returns the body of the request without validating its fields. */
export async function readForm(c: Context): Promise<Record<string, unknown>> {
  const isJson = (c.req.header("Content-Type") ?? "").startsWith("application/json");
  const body = await readBody(c, isJson);
  if (isObject(body)) return body;
  throw problem.invalidInput([errorAt([], "invalid_type", reasonFor("notObject"))]);
}

/**
 * The maximum number of inputs. A form of 30,000 cells has fewer. A page with more inputs would be too large to render
 * again.
 */
const maxInputs = 60_000;

/**
 * Counts `&`, which separates inputs. Each part of a multipart form takes many bytes, so multipart forms have few
 * parts.
 */
function hasMoreInputs(body: ArrayBuffer, most: number): boolean {
  const bytes = new Uint8Array(body);
  let count = 1;
  for (let at = bytes.indexOf(ampersand); at !== -1 && count <= most; count += 1)
    at = bytes.indexOf(ampersand, at + 1);
  return count > most;
}

const ampersand = 0x26;

async function readBody(c: Context, isJson: boolean): Promise<unknown> {
  if (isJson) return parseBody(await c.req.arrayBuffer());
  const isUrlEncoded = c.req
    .header("Content-Type")
    ?.startsWith("application/x-www-form-urlencoded");
  if (isUrlEncoded && hasMoreInputs(await c.req.arrayBuffer(), maxInputs))
    throw problem.tooManyValues(maxInputs);
  try {
    return await c.req.parseBody({ all: true });
  } catch {
    throw problem.malformedJson("The body is neither valid JSON nor a valid form.");
  }
}

/** The values of a form by the names of its inputs. */
export type FormValues = Record<string, unknown>;

/** Returns a value as the text of an input. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** Types whose values contain only half-width characters. */
const halfWidthTypes: ReadonlySet<Field["type"]> = new Set([
  "number",
  "date",
  "datetime",
  "email",
  "phone",
]);

/** Normalizes the text of an input for a field. Japanese keyboards also type digits, signs and `@` in full width. */
export const fieldText = (type: Field["type"] | undefined, text: string): string =>
  type !== undefined && halfWidthTypes.has(type) ? toHalfWidth(text).trim() : text;

/** Parses a number that can have groups of thousands before decimals, as in 1,234.5. Undefined for other texts. */
export function typedNumber(text: string): number | undefined {
  const plain = toHalfWidth(text).trim();
  const digits = /^-?\d{1,3}(,\d{3})+\.\d+$/.test(plain) ? plain.replaceAll(",", "") : plain;
  return digits === "" || !Number.isFinite(Number(digits)) ? undefined : Number(digits);
}

/** An email address from an input. */
export const EmailInput = lazy(() =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((text: string) => toHalfWidth(text).trim()),
    ),
    z.email().check(z.maxLength(254)),
  ),
);

/** Parses a number from an input or a script. Returns NaN for anything else. */
export function numberOf(value: unknown): number {
  return textOf(value).trim() === "" ? Number.NaN : Number(textOf(value));
}

/** The page to return to: a page of the administration or of the documentation. Otherwise the overview. */
export const ReturnPath = lazy(() =>
  z.pipe(
    z.optional(z.string().check(z.maxLength(8000))),
    z.transform((path: string | undefined) => adminPath(path) ?? docsPath(path) ?? "/admin"),
  ),
);

/** Returns a path if it is below `/admin`, and otherwise undefined. Prevents redirects to other sites. */
export function adminPath(path: string | undefined): string | undefined {
  return path !== undefined && /^\/admin(?:[/?#][\x21-\x7e]*)?$/.test(path) ? path : undefined;
}

const docsPath = (path: string | undefined): string | undefined =>
  path !== undefined && /^\/docs(?:[/?#][\x21-\x7e]*)?$/.test(path) ? path : undefined;

/**
 * Rejects requests that another site makes with a member's cookie. Browsers always send the origin of a POST. A request
 * without an origin comes from a script, which has only cookies that it obtained itself.
 */
export const requireSameOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const isSafe = c.req.method === "GET" || c.req.method === "HEAD";
  if (!isSafe && !isSameOrigin(c.req.header("Origin"), c.req.header("Sec-Fetch-Site"), c.req.url)) {
    throw problem.crossSite();
  }
  await next();
});

function isSameOrigin(origin: string | undefined, site: string | undefined, url: string): boolean {
  // Only browsers send Sec-Fetch-Site, and no page can change it.
  if (site !== undefined) return site === "same-origin" || site === "none";
  return origin === undefined || origin === new URL(url).origin;
}
