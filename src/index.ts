export { CredentialGate } from "#gate/gate.ts";
export { WebhookSender } from "#delivery/sender.ts";
import { app } from "./app.ts";
import { onSchedule } from "./schedule.ts";

export default {
  fetch: app.fetch,
  scheduled: (event, env) => onSchedule(env, event.scheduledTime),
} satisfies ExportedHandler<Bindings>;
