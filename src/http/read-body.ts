import { problem, Problem } from "#domain/problem/problem.ts";
import type { Timer } from "#domain/ports.ts";
import type { AppEnv, RequestContext } from "./env.ts";

/** The maximum body size for callers without a valid bearer token, client secret or session. */
export const maxAnonymousBodyBytes = 16 * 1024;

export function hasBody({ req }: RequestContext<AppEnv>): boolean {
  return req.raw.body !== null && ["POST", "PUT", "PATCH"].includes(req.method);
}

export const noCoding = "identity";

export function contentCoding({ req }: Pick<RequestContext<AppEnv>, "req">): string {
  return req.header("Content-Encoding")?.trim().toLowerCase() ?? noCoding;
}

/** Whether the body has a Content-Encoding. */
export const isCompressed = (c: RequestContext<AppEnv>): boolean => contentCoding(c) !== noCoding;

/** Only the JSON of the API and of MCP may be compressed. Browsers and OAuth clients do not send that. */
export function requireUncompressedBody(c: RequestContext<AppEnv>): void {
  if (isCompressed(c)) throw problem.unsupportedContentCoding({ acceptsGzip: false });
}

/** The sender of a body. The service can reject it before it has read the whole body. */
interface Sender {
  /** Whether to read the rest of a long body while `findSenderProblem` runs. Otherwise, it is read afterwards. */
  isTrusted: boolean;
  /** Whether to read nothing before `findSenderProblem` has run. */
  isSuspect: boolean;
  findSenderProblem: () => Promise<Problem | undefined>;
}

/** Reads the body into the request. Returns the problem of an unreadable body. Throws the problem of a rejected sender. */
export async function readBody(
  c: RequestContext<AppEnv>,
  maxBytes: number,
  sender?: Sender,
): Promise<Problem | undefined> {
  const { body, headers } = c.req.raw;
  if (!body || !hasBody(c)) return undefined;
  if (Number(headers.get("Content-Length") ?? 0) > maxBytes) return problem.tooLarge(maxBytes);
  const check = sender && createSenderCheck(sender);
  if (sender?.isSuspect) await check?.run();
  const slowTimer = c.env.clock.timer(c.env.timeouts.slowBodyMs);
  if (check) void slowTimer.done.then(check.run);
  const reader = body.getReader();
  const chunksOrProblem = await readChunks(c, reader, maxBytes, check);
  slowTimer.cancel();
  if (!(chunksOrProblem instanceof Problem)) {
    c.req.bodyCache.arrayBuffer = joinChunks(chunksOrProblem) as never;
    return undefined;
  }
  // No code uses the rest of the body.
  void reader.cancel().catch(() => undefined);
  if (chunksOrProblem === check?.senderProblem()) throw chunksOrProblem;
  return chunksOrProblem;
}

/** Runs `findSenderProblem` at most once. */
function createSenderCheck({ isTrusted, findSenderProblem }: Sender) {
  const { promise: rejection, resolve } = Promise.withResolvers<Problem>();
  let running: Promise<void> | undefined;
  let senderProblem: Problem | undefined;
  const find = async () => {
    senderProblem = await findSenderProblem();
    if (senderProblem) resolve(senderProblem);
  };
  const run = () => (running ??= find());
  // `rejection` never settles if the sender has no problem.
  return { isTrusted, run, senderProblem: () => senderProblem, rejection };
}
type SenderCheck = ReturnType<typeof createSenderCheck>;

async function readChunks(
  { env: { clock, timeouts } }: RequestContext<AppEnv>,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
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
    if (size > maxBytes) return problem.tooLarge(maxBytes);
    chunks.push(chunk);
    if (check && size > maxAnonymousBodyBytes) {
      const checkDone = check.run();
      if (!check.isTrusted) await checkDone;
    }
  }
}

async function nextChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  deadline: Timer,
  check: SenderCheck | undefined,
): Promise<Uint8Array | Problem | "end" | "late" | "broken"> {
  const timeout = deadline.done.then(() => "late" as const);
  const read = reader.read().then(({ value }) => value ?? ("end" as const));
  try {
    return await Promise.race([...(check ? [check.rejection] : []), timeout, read]);
  } catch {
    return "broken";
  } finally {
    deadline.cancel();
  }
}

function incompleteBodyProblem(cause: "late" | "broken", limitMs: number): Problem {
  const seconds = limitMs / 1000;
  return problem.malformedJson(
    cause === "late"
      ? `The body did not arrive within ${seconds} seconds.`
      : "The connection ended before the whole body arrived.",
  );
}

async function joinChunks(chunks: readonly Uint8Array[]): Promise<ArrayBuffer> {
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes.buffer;
}
