import { addressRefusal, type Webhook } from "#domain/webhook/webhook.ts";
import { isDelivered, type Tried, type Delivery, signatureHeaders } from "#domain/webhook/delivery.ts";
import { type Message, openSecrets } from "#actions/deliveries.ts";
import { messageDocument, testDocument } from "#documents/webhooks.ts";
import { sha256, signingKeys } from "#domain/credential/keys.ts";
import { localReceivers } from "./senders.ts";

/** What a receiver may take: milliseconds for its answer and for the rest of it; bytes that are read. Adjustable for tests. */
export const receiver = { milliseconds: 10_000, rest: 1000, bytes: 1024 };

export interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Whether receivers on one's own machine are allowed. */
  local: boolean;
}

/** Posts a message once. Addresses are judged again, redirects are answers like any other, and no more is read than is kept. */
export async function send({ url, headers, body, local }: Sent): Promise<Tried> {
  const started = Date.now();
  const none = { status: null, answer: null };
  const tried = (rest: Omit<Tried, "milliseconds">): Tried => ({
    ...rest,
    milliseconds: Date.now() - started,
  });
  const refusal = addressRefusal(url, local);
  if (refusal) return tried({ ...none, error: `The address is refused: ${refusal}` });
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), receiver.milliseconds);
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Edge-Forms-Webhooks/1",
        ...headers,
      },
      body,
      signal: ending.signal,
    });
    const { status } = response;
    const answered = tried({ status, answer: null, error: errorOf(status) });
    return { ...answered, answer: await beginningOf(response) };
  } catch {
    const error = ending.signal.aborted
      ? `There was no answer within ${receiver.milliseconds / 1000} seconds.`
      : "The receiver could not be reached, or closed the connection.";
    return tried({ ...none, error });
  } finally {
    clearTimeout(timer);
    // Whatever else it sends is not wanted.
    ending.abort();
  }
}

function errorOf(status: number): string | null {
  if (isDelivered({ status })) return null;
  if (status >= 300 && status < 400) return "Redirects are not followed.";
  return `The receiver answered ${status}.`;
}

/** The first bytes of an answer, or those that came in time; the rest is cut off. */
async function beginningOf({ body }: Response): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  const kept = new Uint8Array(receiver.bytes);
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<{ done: true }>((resolve) => {
    timer = setTimeout(() => resolve({ done: true }), receiver.rest);
  });
  try {
    while (length < kept.length) {
      const read = (await Promise.race([
        reader.read(),
        late,
      ])) as ReadableStreamReadResult<Uint8Array>;
      if (read.done) break;
      const part = read.value.subarray(0, kept.length - length);
      kept.set(part, length);
      length += part.length;
    }
  } catch {
    // It broke off: what came is what there is.
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
  return new TextDecoder().decode(kept.subarray(0, length));
}

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
