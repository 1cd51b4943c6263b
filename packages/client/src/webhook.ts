import { EdgeFormsError } from "./problem.ts";
import type { Change } from "./types.ts";

/** What a delivery tells (Standard Webhooks). */
export interface WebhookEvent<I = unknown> {
  /** The same for each delivery of the same event: keep it, so that a repeated one is recognised. */
  id: string;
  type: string;
  timestamp: string;
  data: Change<I>;
}

export interface Delivery {
  /** `whsec_…`; both of them while a secret is being rotated. */
  secret: string | readonly string[];
  headers: Headers | Record<string, string | readonly string[] | undefined>;
  /** The body as it came, not parsed. */
  body: string | Uint8Array;
  /** Seconds by which its time may differ from ours. Default 300. */
  tolerance?: number;
}

/** The event of a genuine delivery; throws `invalid_webhook` for any other. */
export async function verifyWebhook<I = unknown>(delivery: Delivery): Promise<WebhookEvent<I>> {
  const { headers, tolerance = 300 } = delivery;
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || !(age <= tolerance)) {
    throw refused(`Its timestamp is no time within ${tolerance} seconds of now.`);
  }
  const { body } = delivery;
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), content);
  const signatures = header(headers, "webhook-signature")
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .slice(0, 10)
    .map((each) => bytesOf(each.slice(3)));
  const secrets = typeof delivery.secret === "string" ? [delivery.secret] : delivery.secret;
  for (const secret of secrets) {
    const key = await keyOf(secret);
    for (const signature of signatures) {
      // Takes the same time wherever two signatures differ.
      if (!signature || !(await crypto.subtle.verify("HMAC", key, signature, signed))) continue;
      return { ...(JSON.parse(text) as Omit<WebhookEvent<I>, "id">), id };
    }
  }
  throw refused("Its signature is not one of the secret.");
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ""));
  if (!bytes?.length) throw new TypeError("The secret is not whsec_ and base64.");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

function header(headers: Delivery["headers"], name: string): string {
  // Node gives a record with names in lower case; other records may have them in any.
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  const value = typeof found === "object" ? found?.[0] : found;
  if (!value) throw refused(`The header ${name} is missing.`);
  return value;
}

function refused(reason: string): EdgeFormsError {
  return new EdgeFormsError(`This delivery is not genuine. ${reason}`, { code: "invalid_webhook" });
}
