import { env } from "cloudflare:workers";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { countsOf, nothing, recording } from "../../bench/workers/recording";
import { none, type Counts } from "../../bench/workers/counts";
import { waiting } from "../../src/http/gate-reports.ts";
import { app } from "../../src/app.ts";
import type { Fetch } from "./client";

/** The service with bindings that count what a request costs. What runs behind the answer counts too. */
export function counted() {
  const counts: Counts = { ...none };
  /** Of each round trip to D1. */
  const statements: number[] = [];
  // What waits behind an answer would be waited for with each request.
  Object.assign(waiting, { refused: 0, served: 0 });
  const fetch: Fetch = async (request) => {
    const ctx = createExecutionContext();
    const recorded = nothing();
    const response = await app.fetch(request, recording(env, recorded), ctx);
    await waitOnExecutionContext(ctx);
    for (const [name, count] of Object.entries(countsOf(recorded))) {
      counts[name as keyof Counts] += count;
    }
    statements.push(...recorded.trips.map((trip) => trip.statements.length));
    return response;
  };
  const reset = () => {
    Object.assign(counts, none);
    statements.length = 0;
  };
  return { fetch, counts, statements, reset };
}
