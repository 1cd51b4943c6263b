import { app } from "./app";
import { sweep } from "./actions/sweep";

export { CredentialGate } from "./gate/credential-gate";

export default {
  fetch: app.fetch,
  scheduled: async (event, env) => sweep(env.DB, event.scheduledTime),
} satisfies ExportedHandler<Bindings>;
