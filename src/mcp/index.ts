import type * as z from "zod/mini";
import { Hono, type Context } from "hono";
import { createMiddleware } from "hono/factory";
import { authenticate, identify } from "#http/authenticate.ts";
import { chosenKeys, calledByKeys, query } from "#http/query.ts";
import { answerPreflight, isPreflight, publicly, shareWithOrigins, only } from "#http/cors.ts";
import { originOf } from "#http/request.ts";
import { asking } from "#http/doors/question.ts";
import { receiveBody } from "#http/body.ts";
import { answerRefused, leadToMetadata, metadataPath, recallCall, refuseOrigins, takeMessage, type McpEnv } from "./doors.ts";
import { readOfCall, resultFor } from "./methods.ts";
import { Refused, resultAnswer } from "./protocol.ts";

const preflight = createMiddleware<McpEnv>(async (c, next) =>
  isPreflight(c) ? answerPreflight(c, ["POST"]) : next(),
);

/** The Model Context Protocol over streamable HTTP, stateless: what the API does, as tools for assistants. */
export const mcp = new Hono<McpEnv>()
  .use("/mcp", preflight, shareWithOrigins, leadToMetadata, identify)
  .use("/mcp", receiveBody, takeMessage, recallCall, authenticate, refuseOrigins)
  .post("/mcp", query(chosenKeys), asking(readOfCall, answerMessage))
  .all("/mcp", only("POST"))
  .use(metadataPath, publicly)
  .get(metadataPath, (c) => {
    const origin = originOf(c);
    // No scopes: clients would ask for all that stand there, and be refused those that they lack.
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
  .all(metadataPath, only("GET"));

interface Chosen {
  in: { query: z.input<typeof chosenKeys> };
  out: { query: z.output<typeof chosenKeys> };
}

async function answerMessage(c: Context<McpEnv, string, Chosen>): Promise<Response> {
  const { message } = c.var;
  const { id } = message;
  try {
    if ("refusal" in message) throw message.refusal;
    if (id === undefined) return c.body(null, 202);
    const result = await resultFor(c, message, calledByKeys(c.req.valid("query")));
    return c.json({ jsonrpc: "2.0", id, result: resultAnswer(message, result) });
  } catch (error) {
    if (error instanceof Refused) return answerRefused(c, error, id);
    throw error;
  }
}
