import { app } from "./app";
import { indexItems } from "./actions/index-items";
import { sweep } from "./actions/sweep";

export { CredentialGate } from "./gate/credential-gate";

export default {
  fetch: app.fetch,
  scheduled: async (event, env) => {
    await sweep(env.DB, event.scheduledTime);
    await indexItems(env.DB);
  },
} satisfies ExportedHandler<Bindings>;
