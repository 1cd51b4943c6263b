import { app } from "./app";
import { catchUp } from "./actions/definitions/catch-up";
import { sweep } from "./actions/sweep";

export { CredentialGate } from "./gate/credential-gate";

export default {
  fetch: app.fetch,
  scheduled: async (event, env) => {
    await sweep(env.DB, event.scheduledTime);
    await catchUp(env.DB);
  },
} satisfies ExportedHandler<Bindings>;
