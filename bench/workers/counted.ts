import worker from "../../src/index.ts";
import { countsOf, nothing, recording } from "./recording";

export { CredentialGate, WebhookSender } from "../../src/index.ts";

/**
 * The service with a response header `X-Counts`, which contains the cost of the request, including work after the
 * response.
 */
export default {
  async fetch(request, env, ctx) {
    const recorded = nothing();
    const behind: Promise<unknown>[] = [];
    const context = {
      waitUntil: (work: Promise<unknown>) => void behind.push(work),
      passThroughOnException: () => ctx.passThroughOnException(),
      props: ctx.props,
    } as ExecutionContext;
    // Removes the delays of gate reports, because each request here waits for its background work.
    const TIMEOUTS = { refusedReportMs: 0, servedReportMs: 0 };
    const bindings = { ...recording(env, recorded), TIMEOUTS };
    const answer = await worker.fetch(request, bindings, context);
    const body = await answer.arrayBuffer();
    await Promise.allSettled(behind);
    const headers = new Headers(answer.headers);
    headers.set("X-Counts", JSON.stringify(countsOf(recorded)));
    const { status } = answer;
    return new Response(status === 204 || status === 304 ? null : body, { status, headers });
  },
} satisfies ExportedHandler<Bindings>;
