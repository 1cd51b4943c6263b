import { env } from "cloudflare:workers";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { countsOf, nothing, recording } from "../../bench/workers/recording";
import { none, type Counts } from "../../bench/workers/counts";
import { reportsAtOnce, serve } from "./serve";
import type { Fetch } from "./client";

/** The service with bindings that count the cost of a request, including its background work. */
export function counted() {
  const counts: Counts = { ...none };
  /** The number of statements in each round trip to D1. */
  const statements: number[] = [];
  const fetch: Fetch = async (request) => {
    const ctx = createExecutionContext();
    const costs = nothing();
    // Without these delays, requests need not wait for delayed background work.
    const bindings = { ...recording(env, costs), TIMEOUTS: reportsAtOnce };
    const response = await serve(request, bindings, ctx);
    await waitOnExecutionContext(ctx);
    for (const [name, count] of Object.entries(countsOf(costs))) {
      counts[name as keyof Counts] += count;
    }
    statements.push(...costs.trips.map((trip) => trip.statements.length));
    return response;
  };
  const reset = () => {
    Object.assign(counts, none);
    statements.length = 0;
  };
  return { fetch, counts, statements, reset };
}
