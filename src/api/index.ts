import { Hono, type Context, type MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { UploadBody } from "#actions/upload-file.ts";
import type { ReadRequest } from "#actions/read.ts";
import { lazy } from "#domain/lazy.ts";
import { filePaths } from "#domain/api-paths.ts";
import { idempotencyKeyHeader } from "#domain/preconditions.ts";
import { problem } from "#domain/problem/problem.ts";
import { endWithRights } from "#http/download-rights.ts";
import { authenticate, verifyBearer, type BearerEnv } from "#http/authenticate.ts";
import { bufferBody, readJsonBody, parseBodyOnce, type BufferedBodyEnv } from "#http/body.ts";
import { webhookContext } from "#http/context.ts";
import { cors, isPreflight, rejectOtherMethods, sendPreflight } from "#http/cors.ts";
import { findRequestedFormat } from "#http/download.ts";
import { requireUncompressedBody } from "#http/read-body.ts";
import type { ApiEnv } from "#http/env.ts";
import { readFeedPosition, readPosition } from "#http/paging.ts";
import { earlyReads, type RequestPlan } from "#http/prefetch.ts";
import { parseQuery, query } from "#http/query.ts";
import { prefetchReplay } from "#http/replay-cache.ts";
import { ifMatch, ifNoneMatch } from "#http/request.ts";
import { operations } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { perform } from "#operations/perform.ts";
import { serveLinkedFile } from "./linked-file.ts";
import { respond } from "./respond.ts";

type RestEnv = ApiEnv & BufferedBodyEnv & BearerEnv;
type RestContext = Context<RestEnv>;

function mountOperations(): Hono<RestEnv> {
  const rest = new Hono<RestEnv>().use(cors as MiddlewareHandler);
  const byPath = Map.groupBy(Object.values<Operation>(operations()), ({ path }) => path);
  for (const [path, pathOperations] of byPath) {
    const methods = pathOperations.map(({ method }) => method);
    if (path === filePaths.content) rest.on("GET", [path], serveLinkedFile as MiddlewareHandler);
    for (const op of pathOperations)
      rest.on(op.method, [path], ...admissionMiddleware(op), handle(op));
    const otherMethodHandlers = [
      preflight(methods),
      ...admissionMiddleware(null),
      rejectOtherMethods(...methods),
    ];
    rest.on("ALL", [path], ...otherMethodHandlers);
  }
  return rest.on("ALL", ["*"], ...admissionMiddleware(null), () => {
    throw problem.notFound();
  });
}

/** Responds to preflights of existing paths before authentication. Unknown paths get the usual response. */
function preflight(methods: readonly string[]) {
  return createMiddleware<RestEnv>(async (c, next) =>
    isPreflight(c) ? sendPreflight(c, methods) : next(),
  );
}

/**
 * Returns the middleware that admits a request. Without an operation, the method decides whether it counts as a write.
 */
function admissionMiddleware(op: Operation | null): MiddlewareHandler[] {
  const isWriteRequest = (c: Context) =>
    op ? isWrite(op, c) : ["POST", "PUT", "PATCH", "DELETE"].includes(c.req.method);
  return [
    verifyBearer as MiddlewareHandler,
    // The content of a file is not buffered. It streams once the caller is admitted.
    ...(op?.fileContent === "request" ? [] : [bufferBody(isWriteRequest) as MiddlewareHandler]),
    prefetchReplay<RestEnv>((c) => {
      const value = op?.effect === "create" ? c.req.header(idempotencyKeyHeader) : undefined;
      const name = idempotencyKeyHeader;
      return value === undefined ? undefined : { name, value, route: c.req.path };
    }) as MiddlewareHandler,
    authenticate<RestEnv>((c): RequestPlan => {
      const request = buildReadRequest(c, op);
      const reads = op ? earlyReads(op, request.path) : [];
      return { isWrite: isWriteRequest(c), reads, request };
    }) as MiddlewareHandler,
  ];
}

/** A dry run counts as a read. Any other value of the parameter counts as a write, which then fails. */
function isWrite({ effect }: Operation, { req }: Context): boolean {
  if (effect !== "checkable") return effect !== "read";
  return new URL(req.url).searchParams.getAll("dry_run").join() !== "true";
}

function buildReadRequest(c: RestContext, op: Operation | null): ReadRequest<never> {
  return {
    path: { key: "", id: "", delivery: "", ...(c.req.param() as Record<string, string>) },
    query: () => (op ? parseQuery(c, op.query()) : {}) as never,
    body: () => parseBodyOnce(c),
    format: op?.formats === "downloads" ? findRequestedFormat(c) : undefined,
    position: (binding, cursor, versions) => readPosition(c, binding, cursor, versions),
    feedPosition: (binding, cursor) => readFeedPosition(c, binding, cursor),
  };
}

/**
 * Returns the content of a file, which streams to storage. Throws 400 for a partial upload (RFC 9110, section 14.5) and
 * 415 for a Content-Encoding.
 */
function requestContent(c: RestContext): UploadBody {
  const { req } = c;
  if (req.header("Content-Range") !== undefined)
    throw problem.malformedHeader(
      "Content-Range",
      "Send the whole content, without Content-Range.",
    );
  requireUncompressedBody(c);
  const length = req.header("Content-Length");
  return { body: req.raw.body, length: length === undefined ? null : Number(length) };
}

const ignoreNext = async () => undefined;

function handle(op: Operation): MiddlewareHandler {
  const validateQuery = query(op.query) as MiddlewareHandler;
  const mediaTypes = ["application/json", ...(op.body?.types ?? [])];
  return async (context) => {
    const c = context as RestContext;
    const { plan, idempotencyKey, grant, read } = c.var;
    const request = {
      ...plan.request,
      idempotencyKey,
      grant,
      origin: new URL(c.req.url).origin,
      body: () => readJsonBody(c, mediaTypes),
      content: () => requestContent(c),
      async query() {
        await validateQuery(c, ignoreNext);
        return c.req.valid("query" as never);
      },
      ifMatch: () => ifMatch(c),
      ifNoneMatch: () => ifNoneMatch(c),
    };
    const result = await perform(op, webhookContext(c), request, read);
    if (result === null || !("download" in result)) return respond(context, op, result);
    return respond(context, op, { ...result, download: endWithRights(c, result.download) });
  };
}

/** The REST API: every operation below `/api/v1`. */
export const api = lazy(mountOperations);
