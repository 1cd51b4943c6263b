import type { WebhookContext } from "../../actions/webhooks/context";
import type { ActionContext } from "../../actions/context";
import { signingKeys } from "../../domain/credential/signature";
import { localReceivers } from "../../hooks/local-receivers";
import { webhookObjects } from "../../hooks/objects";

interface Acting {
  env: Bindings;
  var: { action: ActionContext };
}

/** What managing webhooks is given of a request. */
export function webhookContext({ env, var: { action } }: Acting): WebhookContext {
  return {
    ...action,
    keys: signingKeys(env.TOKEN_SECRET),
    objects: webhookObjects(env),
    random: () => crypto.getRandomValues(new Uint8Array(32)),
    localReceivers: localReceivers(env),
  };
}
