import { findUrlError, type Webhook } from "#domain/webhook/webhook.ts";
import {
  isDelivered,
  type DeliveryResult,
  type Delivery,
  buildSignatureHeaders,
} from "#domain/webhook/delivery.ts";
import { openSecrets } from "#actions/deliveries.ts";
import type { WebhookMessage } from "#actions/webhook-messages.ts";
import { messageDocument, testDocument } from "#documents/webhooks.ts";
import { sha256, type SigningKeys } from "#domain/credential/keys.ts";
import type { Memory } from "#domain/memory.ts";
import type { Clock, Random, Timeouts } from "#domain/ports.ts";
import type { Databases } from "#store/db/database.ts";

export type FetchPort = (url: string, init: RequestInit) => Promise<Response>;

/** The dependencies of sending messages. */
export interface SenderService {
  databases: Databases;
  clock: Clock;
  random: Pick<Random, "uuid">;
  subtle: SubtleCrypto;
  keys: SigningKeys;
  memory: Memory;
  timeouts: Pick<Timeouts, "receiverMs" | "receiverRestMs">;
  /** Whether receivers on the same machine are allowed. */
  settings: { allowsLocalReceivers: boolean; isPaused: boolean; origin: string };
  fetch: FetchPort;
  log(line: string, level: "error"): void;
}

/** The maximum stored bytes of a receiver's response. */
const maxResponseBytes = 1024;

interface OutgoingMessage {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Posts a message once. Checks the URL again, because rules may have changed since the webhook was saved.
 * Follows no redirects and reads only the stored part of the response.
 */
async function send(
  service: SenderService,
  { url, headers, body }: OutgoingMessage,
): Promise<DeliveryResult> {
  const { clock, timeouts } = service;
  const startedAt = clock.now();
  const noResponse = { status: null, answer: null };
  const withDuration = (result: Omit<DeliveryResult, "milliseconds">): DeliveryResult => ({
    ...result,
    milliseconds: clock.now() - startedAt,
  });
  const urlError = findUrlError(url, service.settings.allowsLocalReceivers);
  if (urlError)
    return withDuration({ ...noResponse, error: `The URL is not allowed: ${urlError}` });
  const controller = new AbortController();
  const timer = clock.timer(timeouts.receiverMs);
  void timer.done.then(() => controller.abort());
  try {
    const response = await service.fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Edge-Forms-Webhooks/1",
        ...headers,
      },
      body,
      signal: controller.signal,
    });
    const { status } = response;
    const result = withDuration({ status, answer: null, error: describeStatus(status) });
    return { ...result, answer: await readBodyStart(service, response) };
  } catch {
    const error = controller.signal.aborted
      ? `The receiver did not respond within ${timeouts.receiverMs / 1000} seconds.`
      : "The receiver could not be reached, or closed the connection.";
    return withDuration({ ...noResponse, error });
  } finally {
    timer.cancel();
    // Stops the receiver from sending the rest of its response.
    controller.abort();
  }
}

function describeStatus(status: number): string | null {
  if (isDelivered({ status })) return null;
  if (status >= 300 && status < 400) return "Redirects are not followed.";
  return `The receiver answered ${status}.`;
}

/** Reads the first bytes of a response, as far as they arrive in time. */
async function readBodyStart(
  { clock, timeouts }: SenderService,
  { body }: Response,
): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  const buffer = new Uint8Array(maxResponseBytes);
  let length = 0;
  const timer = clock.timer(timeouts.receiverRestMs);
  const timeout = timer.done.then(() => ({ done: true }) as const);
  try {
    while (length < buffer.length) {
      const chunk = (await Promise.race([
        reader.read(),
        timeout,
      ])) as ReadableStreamReadResult<Uint8Array>;
      if (chunk.done) break;
      const part = chunk.value.subarray(0, buffer.length - length);
      buffer.set(part, length);
      length += part.length;
    }
  } catch {
    // The connection ended early. Returns the bytes that have arrived.
  } finally {
    timer.cancel();
    void reader.cancel().catch(() => undefined);
  }
  return new TextDecoder().decode(buffer.subarray(0, length));
}

type DeliveryAttempt = Omit<Delivery, "number">;

/** Sends a change. The message ID depends only on the change, so every attempt has the same ID without stored state. */
export async function sendMessage(
  service: SenderService,
  hook: Webhook,
  message: Omit<WebhookMessage, "type"> & { type: string },
  attempt: number,
): Promise<DeliveryAttempt> {
  const { type, collection, number, change } = message;
  const id = `msg_${(await sha256(`${hook.id} ${number}`)).slice(0, 27)}`;
  const at = service.clock.now();
  const body = JSON.stringify(messageDocument(message, service.settings.origin));
  const result = await sendSigned(service, hook, { id, at, body });
  const delivery = { at, message: id, type, collection, change: number, item: change.id, attempt };
  return { ...delivery, ...result };
}

export async function sendTest(service: SenderService, hook: Webhook): Promise<DeliveryAttempt> {
  const at = service.clock.now();
  const document = testDocument(hook.id, at);
  const message = `msg_${service.random.uuid().replaceAll("-", "")}`;
  const result = await sendSigned(service, hook, {
    id: message,
    at,
    body: JSON.stringify(document),
  });
  const noItem = { collection: null, change: null, item: null };
  return { at, message, type: document.type, ...noItem, attempt: 0, ...result };
}

async function sendSigned(
  service: SenderService,
  hook: Webhook,
  content: { id: string; at: number; body: string },
): Promise<DeliveryResult> {
  const secrets = await openSecrets(service.keys, hook, content.at);
  if (secrets.length === 0) {
    const error =
      "The signing secret was encrypted with a key that no longer exists. Rotate the secret.";
    return { status: null, milliseconds: 0, answer: null, error };
  }
  const headers = await buildSignatureHeaders(service.subtle, secrets, content);
  return send(service, { url: hook.url, headers, body: content.body });
}
