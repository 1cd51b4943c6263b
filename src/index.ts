import { app } from "./app";
import { onSchedule } from "./scheduled";

export { CredentialGate } from "./gate/credential-gate";
export { WebhookSender } from "./hooks/webhook-sender";

export default {
  fetch: app.fetch,
  scheduled: (event, env) => onSchedule(env, event.scheduledTime),
} satisfies ExportedHandler<Bindings>;
