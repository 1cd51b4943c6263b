import type { Message } from "../actions/webhooks/next-message";
import { openSecrets } from "../actions/webhooks/secrets";
import { messageDocument, testDocument } from "../documents/webhook";
import { sha256, signingKeys } from "../domain/credential/signature";
import type { Delivery, Tried } from "../domain/webhook/delivery";
import { signatureHeaders } from "../domain/webhook/signing";
import type { Webhook } from "../domain/webhook/webhook";
import { localReceivers } from "./local-receivers";
import { send } from "./send";

type Try = Omit<Delivery, "number">;

/** Sends a change. Its id follows from the change, so that a repeat has the same one, whatever was forgotten meanwhile. */
export async function sendMessage(
  env: Bindings,
  hook: Webhook,
  { type, collection, number, change }: Omit<Message, "type"> & { type: string },
  attempt: number,
): Promise<Try> {
  const message = `msg_${(await sha256(`${hook.id} ${number}`)).slice(0, 27)}`;
  const at = Date.now();
  const body = JSON.stringify(messageDocument(type, collection, change));
  const tried = await sendSigned(env, hook, { id: message, at, body });
  return { at, message, type, collection, change: number, item: change.id, attempt, ...tried };
}

export async function sendTest(env: Bindings, hook: Webhook): Promise<Try> {
  const at = Date.now();
  const document = testDocument(hook.id, at);
  const message = `msg_${crypto.randomUUID().replaceAll("-", "")}`;
  const tried = await sendSigned(env, hook, { id: message, at, body: JSON.stringify(document) });
  const nothing = { collection: null, change: null, item: null };
  return { at, message, type: document.type, ...nothing, attempt: 0, ...tried };
}

async function sendSigned(
  env: Bindings,
  hook: Webhook,
  signed: { id: string; at: number; body: string },
): Promise<Tried> {
  const secrets = await openSecrets(signingKeys(env.TOKEN_SECRET), hook, signed.at);
  if (secrets.length === 0) {
    const error = "The signing secret was sealed by a key that is gone: rotate it.";
    return { status: null, milliseconds: 0, answer: null, error };
  }
  const headers = await signatureHeaders(secrets, signed);
  return send({ url: hook.url, headers, body: signed.body, local: localReceivers(env) });
}
