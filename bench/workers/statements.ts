import worker from "../../src/index.ts";
import { nothing, recording } from "./recording";

export { CredentialGate, WebhookSender } from "../../src/index.ts";

/** The service with responses that contain the statements of the request to D1: one list for each round trip. */
export default {
  async fetch(request, env, ctx) {
    const recorded = nothing();
    const response = await worker.fetch(request, recording(env, recorded), ctx);
    if (!response.ok) return response;
    return Response.json(recorded.trips.map(({ statements }) => statements));
  },
} satisfies ExportedHandler<Bindings>;
