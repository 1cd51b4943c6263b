import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { problem, type Problem } from "#domain/problem/problem.ts";
import type { AppEnv, ApiEnv, RequestContext } from "./env.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { findExceededLimit, parseJson } from "#domain/json.ts";
import { logRecovered } from "#domain/events.ts";
import { countByNetwork } from "./request.ts";
import { findEarlyProblem, type BearerEnv } from "./authenticate.ts";
import { isBlocked, isRecentlyAdmitted } from "./isolate-limits.ts";
import { readBody, contentCoding, noCoding } from "./read-body.ts";

/** The size limit of bodies of the API and of the administration area, after decompression. */
export const maxBodyBytes = 1024 * 1024;

/** Counts the body of an unknown caller against the limit of its network, before the body is read. */
export async function limitAnonymousBody(c: RequestContext<AppEnv>): Promise<void> {
  const isWithinLimit = await countByNetwork(c, "failures", "body ").catch((error: unknown) => {
    logRecovered(c.env, "anonymous body limiter unavailable", error);
    return true;
  });
  if (!isWithinLimit)
    throw problem.rateLimited(
      60,
      "Too many requests without a valid session or secret came from this network.",
    );
}

export type BufferedBodyEnv = AppEnv & { Variables: { bodyProblem: Problem | undefined } };

/**
 * Reads the body before authentication, so that a revocation during a slow upload applies to the request. Checks the
 * credential early if the body is long or slow. Later steps report other problems of the body.
 */
export const bufferBody = (isWrite: (c: Context) => boolean) =>
  createMiddleware<BufferedBodyEnv & ApiEnv & BearerEnv>(async (c, next) => {
    const { memory, clock } = c.env;
    const { credentialId } = c.var.presentedCredential;
    const sender = {
      isTrusted: isRecentlyAdmitted(memory, credentialId, clock.now()),
      isSuspect: isBlocked(memory, credentialId, clock.now()),
      findSenderProblem: () => findEarlyProblem(c, isWrite(c)),
    };
    c.set("bodyProblem", await readBody(c, maxBodyBytes, sender));
    await next();
  });

/**
 * The maximum number of values. 500 rows of 200 columns need fewer. Each value takes memory, even if it has few bytes.
 */
const maxValues = 120_000;
/** The maximum number of levels of arrays and objects in a body. */
const maxLevels = 32;

/** Parses the received body as JSON of one of these media types. Throws 415, 413, 400 or 422 otherwise. The action validates its content. */
export async function readJsonBody(
  c: RequestContext<BufferedBodyEnv>,
  allowedTypes: readonly string[],
): Promise<unknown> {
  if (c.var.bodyProblem) throw c.var.bodyProblem;
  const [type = ""] = (c.req.header("Content-Type") ?? "").split(";");
  if (!allowedTypes.includes(type.trim().toLowerCase()))
    throw problem.unsupportedMediaType(allowedTypes);
  if (![noCoding, ...gzipCodings].includes(contentCoding(c)))
    throw problem.unsupportedContentCoding({ acceptsGzip: true });
  return parseBodyOnce(c);
}

const parsedBodies = new WeakMap<Request, Promise<unknown>>();

/** Parses the body once and returns the same result to every caller. */
export function parseBodyOnce({ req }: Pick<Context, "req">): Promise<unknown> {
  const body =
    parsedBodies.get(req.raw) ?? req.arrayBuffer().then((bytes) => parseBody(decode(req, bytes)));
  body.catch(() => undefined);
  parsedBodies.set(req.raw, body);
  return body;
}

/** RFC 9110, section 8.4.1: `x-gzip` is the same as `gzip`. */
const gzipCodings = ["gzip", "x-gzip"];

/** Decompresses a gzip body. Stops at the size limit of bodies, so that a small body cannot become large. */
function decode(req: Context["req"], bytes: ArrayBuffer): Uint8Array {
  const encodedBytes = new Uint8Array(bytes);
  if (!gzipCodings.includes(contentCoding({ req }))) return encodedBytes;
  const { gunzipSync } = process.getBuiltinModule("node:zlib");
  try {
    return gunzipSync(encodedBytes, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    if (error instanceof RangeError) throw problem.tooLarge(maxBodyBytes);
    throw problem.malformedJson(
      "The body is not complete gzip data, although Content-Encoding is gzip.",
    );
  }
}

/** Parses UTF-8 JSON. Numbers that a double cannot represent become `InexactNumber`. */
export function parseBody(bytes: ArrayBuffer | Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  const excess = findExceededLimit(text, { maxValues, maxLevels });
  if (excess === "values") throw problem.tooManyValues(maxValues);
  if (excess === "levels") {
    const reason = `JSON may be nested at most ${maxLevels} levels deep.`;
    throw problem.invalidInput([errorAt([], "invalid_type", reason)]);
  }
  try {
    return parseJson(text);
  } catch (error) {
    // V8's message quotes the body, so the problem names only the position.
    const position = /position (\d+)/.exec(String(error))?.[1];
    const location = position === undefined ? "" : ` Syntax error at position ${position}.`;
    throw problem.malformedJson(`The body is not valid JSON.${location}`);
  }
}

function decodeUtf8(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw problem.malformedJson("The body is not valid UTF-8.");
  }
}
