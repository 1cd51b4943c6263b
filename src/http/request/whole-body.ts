import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { problem, type Problem } from "../../domain/problem/problem";
import type { AppEnv } from "../../env";

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
