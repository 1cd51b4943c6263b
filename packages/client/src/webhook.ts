import { EdgeFormsError } from "./problem.ts";
import type { Change } from "./types.ts";

/** The event of a webhook request (Standard Webhooks). */
export interface WebhookEvent<I = unknown> {
  /** The same in each request with this event. Store it to recognise repeated events. */
  id: string;
  type: string;
  timestamp: string;
  data: Change<I>;
}

export interface Delivery {
  /** The secret, `whsec_…`. Pass the old and the new secret during a rotation. */
  secret: string | readonly string[];
  headers: Headers | Record<string, string | readonly string[] | undefined>;
  /** The raw body, before parsing. */
  body: string | Uint8Array;
  /** Seconds by which the timestamp may differ from the local clock. Default 300. */
  tolerance?: number;
}

/** Verifies a request and returns its event. Throws `invalid_webhook` if the request is not genuine. */
export async function verifyWebhook<I = unknown>(delivery: Delivery): Promise<WebhookEvent<I>> {
  const { headers, tolerance = 300 } = delivery;
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || !(age <= tolerance)) {
    throw webhookError(`Its timestamp is not within ${tolerance} seconds of now.`);
  }
  const { body } = delivery;
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signedContent = concat(new TextEncoder().encode(`${id}.${timestamp}.`), content);
  const signatures = header(headers, "webhook-signature")
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .slice(0, 10)
    .map((signature) => decodeBase64(signature.slice(3)));
  const secrets = typeof delivery.secret === "string" ? [delivery.secret] : delivery.secret;
  for (const secret of secrets) {
    const key = await importSecret(secret);
    for (const signature of signatures) {
      // `verify` compares in constant time.
      if (!signature || !(await crypto.subtle.verify("HMAC", key, signature, signedContent)))
        continue;
      return { ...(JSON.parse(text) as Omit<WebhookEvent<I>, "id">), id };
    }
  }
  throw webhookError("Its signature does not match the secret.");
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ""));
  if (!bytes?.length) throw new TypeError("The secret must be whsec_ followed by Base64.");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

function header(headers: Delivery["headers"], name: string): string {
  // Node lowercases header names. Other records may use any case.
  const entry =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const value = typeof entry === "object" ? entry?.[0] : entry;
  if (!value) throw webhookError(`The header ${name} is missing.`);
  return value;
}

function webhookError(reason: string): EdgeFormsError {
  return new EdgeFormsError(`This delivery is not genuine. ${reason}`, { code: "invalid_webhook" });
}
