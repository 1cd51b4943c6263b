import { problem, Problem } from "#domain/problem/problem.ts";
import type { Timer } from "#domain/ports.ts";
import type { AppEnv, RequestContext } from "./env.ts";

/** The limit for callers without a valid bearer, client secret or session. */
export const maxAnonymousBodyBytes = 16 * 1024;

export function hasBody({ req }: RequestContext<AppEnv>): boolean {
  return req.raw.body !== null && ["POST", "PUT", "PATCH"].includes(req.method);
}

export const noCoding = "identity";

export function contentCoding({ req }: Pick<RequestContext<AppEnv>, "req">): string {
  return req.header("Content-Encoding")?.trim().toLowerCase() ?? noCoding;
}

/** Whether Content-Encoding names any coding. */
export const isCompressed = (c: RequestContext<AppEnv>): boolean => contentCoding(c) !== noCoding;

/** Only the API and MCP take compressed bodies. Browsers and OAuth clients do not send them. */
export function requireUncompressedBody(c: RequestContext<AppEnv>): void {
  if (isCompressed(c)) throw problem.unsupportedContentCoding(false);
}

/** The sender of a body, who may be refused before all of it is read. */
interface Sender {
  /** The rest of a long body is read while `findRefusal` runs, and otherwise after it. */
  isTrusted: boolean;
  /** Nothing is read before `findRefusal` has run. */
  isSuspect: boolean;
  findRefusal: () => Promise<Problem | undefined>;
}

/** Reads the body into the request. Returns the problem of an unreadable body. Throws the refusal of the sender. */
export async function bodyProblem(
  c: RequestContext<AppEnv>,
  most: number,
  sender?: Sender,
): Promise<Problem | undefined> {
  const { body, headers } = c.req.raw;
  if (!body || !hasBody(c)) return undefined;
  if (Number(headers.get("Content-Length") ?? 0) > most) return problem.tooLarge(most);
  const check = sender && createCheck(sender);
  if (sender?.isSuspect) await check?.run();
  const slow = c.env.clock.timer(c.env.timeouts.slowBodyMs);
  if (check) void slow.done.then(check.run);
  const reader = body.getReader();
  const received = await readChunks(c, reader, most, check);
  slow.cancel();
  if (!(received instanceof Problem)) {
    c.req.bodyCache.arrayBuffer = joinChunks(received) as never;
    return undefined;
  }
  // No code waits for the rest of the body.
  void reader.cancel().catch(() => undefined);
  if (received === check?.refusal()) throw received;
  return received;
}

/** Runs `findRefusal` at most once. */
function createCheck({ isTrusted, findRefusal }: Sender) {
  const { promise: refused, resolve } = Promise.withResolvers<Problem>();
  let running: Promise<void> | undefined;
  let refusal: Problem | undefined;
  const find = async () => {
    refusal = await findRefusal();
    if (refusal) resolve(refusal);
  };
  const run = () => (running ??= find());
  // Without a refusal, `refused` never settles.
  return { isTrusted, run, refusal: () => refusal, refused };
}
type SenderCheck = ReturnType<typeof createCheck>;

async function readChunks(
  { env: { clock, timeouts } }: RequestContext<AppEnv>,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  most: number,
  check: SenderCheck | undefined,
): Promise<Uint8Array[] | Problem> {
  const deadline = clock.now() + timeouts.bodyMs;
  const chunks: Uint8Array[] = [];
  for (let size = 0; ;) {
    const timer = clock.timer(Math.max(0, deadline - clock.now()));
    const chunk = await nextChunk(reader, timer, check);
    if (chunk === "end") return chunks;
    if (chunk instanceof Problem) return chunk;
    if (typeof chunk === "string") return incompleteBodyProblem(chunk, timeouts.bodyMs);
    size += chunk.length;
    if (size > most) return problem.tooLarge(most);
    chunks.push(chunk);
    if (check && size > maxAnonymousBodyBytes) {
      const checked = check.run();
      if (!check.isTrusted) await checked;
    }
  }
}

async function nextChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  deadline: Timer,
  check: SenderCheck | undefined,
): Promise<Uint8Array | Problem | "end" | "late" | "broken"> {
  const late = deadline.done.then(() => "late" as const);
  const read = reader.read().then(({ value }) => value ?? ("end" as const));
  try {
    return await Promise.race([...(check ? [check.refused] : []), late, read]);
  } catch {
    return "broken";
  } finally {
    deadline.cancel();
  }
}

function incompleteBodyProblem(why: "late" | "broken", limitMs: number): Problem {
  const seconds = limitMs / 1000;
  return problem.malformedJson(
    why === "late"
      ? `The body did not arrive within ${seconds} seconds.`
      : "The connection ended before the whole body arrived.",
  );
}

async function joinChunks(chunks: readonly Uint8Array[]): Promise<ArrayBuffer> {
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes.buffer;
}
