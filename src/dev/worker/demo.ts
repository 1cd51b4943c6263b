import worker from "../../index.ts";

/**
 * The service with a clock that the seed sets, so that items, calls and deliveries are spread over three months.
 * Messages of webhooks do not leave the Worker, because a receiver inside it accepts them.
 */
let now = Date.now();
Date.now = () => now;
globalThis.fetch = () => Promise.resolve(new Response("stored"));

export { CredentialGate, WebhookSender } from "../../index.ts";

export default {
  fetch(request: Request, env: Parameters<typeof worker.fetch>[1], ctx: ExecutionContext) {
    const time = request.headers.get("Demo-Time");
    if (time !== null) now = Number(time);
    if (new URL(request.url).pathname === "/clock") return new Response(null, { status: 204 });
    return worker.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Parameters<typeof worker.fetch>[1]>;
