import { app } from "../../src/app.ts";
import { waiting } from "../../src/http/gate-reports.ts";
import { countsOf, nothing, recording } from "./recording";

export { CredentialGate } from "../../src/gate/gate.ts";
export { WebhookSender } from "../../src/delivery/sender.ts";

/** The service, whose answers tell in the header `X-Counts` what they cost, with what ran behind them. */
export default {
  async fetch(request, env, ctx) {
    // What waits behind an answer would be waited for with each request.
    Object.assign(waiting, { refused: 0, served: 0 });
    const recorded = nothing();
    const behind: Promise<unknown>[] = [];
    const context = {
      waitUntil: (work: Promise<unknown>) => void behind.push(work),
      passThroughOnException: () => ctx.passThroughOnException(),
      props: ctx.props,
    } as ExecutionContext;
    const answer = await app.fetch(request, recording(env, recorded), context);
    const body = await answer.arrayBuffer();
    await Promise.allSettled(behind);
    const headers = new Headers(answer.headers);
    headers.set("X-Counts", JSON.stringify(countsOf(recorded)));
    const { status } = answer;
    return new Response(status === 204 || status === 304 ? null : body, { status, headers });
  },
} satisfies ExportedHandler<Bindings>;
