import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { problem, type Problem } from "#domain/problem/problem.ts";
import type { AppEnv, ApiEnv, Reading } from "./env.ts";
import { hasMoreValues, parseJson } from "#domain/json.ts";

/** How long a body may take to arrive; adjustable for tests. */
export const bodyPatience = { milliseconds: 30_000 };

/** What the API and the administration area take. */
const mostBytes = 1024 * 1024;

export type ReceivingEnv = AppEnv & { Variables: { bodyRefusal: Problem | undefined } };

/**
 * Takes in the whole body before it is asked what its sender may do: otherwise whoever sends slowly keeps rights that
 * ended meanwhile. What is wrong with it is told in its turn, by the door that asks for it.
 */
export const receiveBody = createMiddleware<ReceivingEnv>(async (c, next) => {
  c.set("bodyRefusal", await refusalOfBody(c, mostBytes));
  await next();
});

/** The same, where nothing else comes first: what is wrong is told at once. */
export const wholeBody = createMiddleware<AppEnv>(async (c, next) => {
  const refusal = await refusalOfBody(c, mostBytes);
  if (refusal) throw refusal;
  await next();
});

/** Reads the body, so that the request has it from now on; or says why not. */
export async function refusalOfBody(c: Context, most: number): Promise<Problem | undefined> {
  const { body, headers, method } = c.req.raw;
  if (!body || !["POST", "PUT", "PATCH"].includes(method)) return undefined;
  if (Number(headers.get("Content-Length") ?? 0) > most) return problem.tooLarge(most);
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const deadline = Date.now() + bodyPatience.milliseconds;
  for (;;) {
    const chunk = await nextChunk(reader, deadline - Date.now());
    if (chunk === "late" || chunk === "broken") return gaveUp(reader, notWhole(chunk));
    if (chunk === "end") break;
    size += chunk.length;
    if (size > most) return gaveUp(reader, problem.tooLarge(most));
    chunks.push(chunk);
  }
  c.req.bodyCache.arrayBuffer = joined(chunks, size) as never;
  return undefined;
}

async function nextChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  milliseconds: number,
): Promise<Uint8Array | "end" | "late" | "broken"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), Math.max(0, milliseconds));
  });
  try {
    return await Promise.race([late, reader.read().then(({ value }) => value ?? "end")]);
  } catch {
    return "broken";
  } finally {
    clearTimeout(timer);
  }
}

function notWhole(why: "late" | "broken"): Problem {
  const seconds = bodyPatience.milliseconds / 1000;
  return problem.malformedJson(
    why === "late"
      ? `The body did not arrive within ${seconds} seconds.`
      : "The body broke off before its end.",
  );
}

function gaveUp(reader: ReadableStreamDefaultReader<Uint8Array>, refusal: Problem): Problem {
  // Nobody waits for what is not wanted.
  void reader.cancel().catch(() => undefined);
  return refusal;
}

async function joined(chunks: readonly Uint8Array[], size: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes.buffer;
}

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
