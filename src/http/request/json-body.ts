import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { hasMoreValues, parseJson } from "../../domain/json";
import { problem } from "../../domain/problem/problem";
import type { ApiEnv, Reading } from "../../env";
import type { ReceivingEnv } from "./whole-body";

/** RFC 7396. */
export const mergePatch = "application/merge-patch+json";

/** 500 rows of 200 columns, and room. Each value takes memory, however few bytes it was sent in. */
const maxValues = 120_000;

type WithBody = ApiEnv & ReceivingEnv & { Variables: { body: unknown } };

/** The body as JSON, of one of these types: 415, 413 or 400 otherwise. What it says is for the action to judge. */
export const jsonBody = (...types: string[]) => {
  const allowed = ["application/json", ...types];
  return createMiddleware<WithBody>(async (c, next) => {
    c.set("body", await readJson(c, allowed));
    await next();
  });
};

/** The body that was received, as JSON of one of these types. */
export async function readJson(
  c: Reading<ReceivingEnv>,
  allowed: readonly string[],
): Promise<unknown> {
  if (c.var.bodyRefusal) throw c.var.bodyRefusal;
  const [type = ""] = (c.req.header("Content-Type") ?? "").split(";");
  if (!allowed.includes(type.trim().toLowerCase())) throw problem.unsupportedMediaType(allowed);
  const coding = c.req.header("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity") throw problem.unsupportedContentCoding();
  return sentBody(c);
}

const parsed = new WeakMap<Request, Promise<unknown>>();

/** The body as JSON, read once, however many ask. */
export function sentBody({ req }: Pick<Context, "req">): Promise<unknown> {
  const body = parsed.get(req.raw) ?? req.arrayBuffer().then(parseBody);
  body.catch(() => undefined);
  parsed.set(req.raw, body);
  return body;
}

/** Numbers as they were written, texts as they were encoded: what a double or UTF-8 does not hold is refused. */
export function parseBody(bytes: ArrayBuffer): unknown {
  const text = decode(bytes);
  if (hasMoreValues(text, maxValues)) throw problem.tooManyValues(maxValues);
  try {
    return parseJson(text);
  } catch (error) {
    // V8's message quotes the body; only where it went wrong is told.
    const at = /position (\d+)/.exec(String(error))?.[1];
    const where = at === undefined ? "" : ` It goes wrong at position ${at}.`;
    throw problem.malformedJson(`The body is not valid JSON.${where}`);
  }
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw problem.malformedJson("The body is not valid UTF-8.");
  }
}
