import type * as z from "zod/mini";
import { Hono, type Context } from "hono";
import { createMiddleware } from "hono/factory";
import { authenticate, verifyBearer } from "#http/authenticate.ts";
import { query, textParameters } from "#http/query.ts";
import { selectionQuery, selectedCollections } from "#domain/definition/collection.ts";
import {
  sendPreflight,
  isPreflight,
  allowAnyOrigin,
  cors,
  rejectOtherMethods,
} from "#http/cors.ts";
import { serviceOrigin } from "#http/request.ts";
import { bufferBody } from "#http/body.ts";
import {
  sendProtocolError,
  addMetadataChallenge,
  metadataPath,
  planMessage,
  prefetchCallReplay,
  requireAllowedOrigin,
  receiveMessage,
  type McpEnv,
} from "./receive.ts";
import { handleMethod } from "./methods.ts";
import { ProtocolError, toVersionedResult } from "./protocol.ts";

const preflight = createMiddleware<McpEnv>(async (c, next) =>
  isPreflight(c) ? sendPreflight(c, ["POST"]) : next(),
);

/** Serves the Model Context Protocol over stateless streamable HTTP: the API's operations as tools for assistants. */
export const mcp = () =>
  new Hono<McpEnv>()
    .use("/mcp", preflight, cors, addMetadataChallenge, verifyBearer)
    // The body decides whether a call writes, so only the limit of requests applies before the body is read.
    .use(
      "/mcp",
      bufferBody(() => false),
      receiveMessage,
      prefetchCallReplay,
      authenticate(planMessage),
      requireAllowedOrigin,
    )
    .post("/mcp", query(selectionQuery), (c) => handleMessage(c))
    .all("/mcp", rejectOtherMethods("POST"))
    .use(metadataPath, allowAnyOrigin)
    .get(metadataPath, query(textParameters()), (c) => {
      const origin = serviceOrigin(c);
      // Lists no scopes, because clients would request all of them and the token endpoint would reject the request.
      return c.json(
        {
          resource: `${origin}/mcp`,
          resource_name: "Edge Forms",
          resource_documentation: `${origin}/docs/mcp`,
          authorization_servers: [origin],
          bearer_methods_supported: ["header"],
        },
        200,
        { "Cache-Control": "public, max-age=3600" },
      );
    })
    .all(metadataPath, rejectOtherMethods("GET"));

interface SelectionInput {
  in: { query: z.input<ReturnType<typeof selectionQuery>> };
  out: { query: z.output<ReturnType<typeof selectionQuery>> };
}

async function handleMessage(c: Context<McpEnv, string, SelectionInput>): Promise<Response> {
  const { message } = c.var;
  const { id } = message;
  try {
    if ("error" in message) throw message.error;
    if (id === undefined) return c.body(null, 202);
    const result = await handleMethod(c, message, selectedCollections(c.req.valid("query")));
    return c.json({ jsonrpc: "2.0", id, result: toVersionedResult(message, result) });
  } catch (error) {
    if (error instanceof ProtocolError) return sendProtocolError(c, error, id);
    throw error;
  }
}
