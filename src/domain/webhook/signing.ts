/** Standard Webhooks: `whsec_` and the key in base64; signatures are HMAC-SHA256 of id, time and body. */

const prefix = "whsec_";
const encoder = new TextEncoder();

/** Makes a secret of `random`, 32 bytes. */
export function makeSigningSecret(random: Uint8Array): string {
  return prefix + random.toBase64();
}

/** One message as it is signed. */
export interface Signed {
  /** The same for each try. */
  id: string;
  /** Milliseconds since 1970: of this try. */
  at: number;
  body: string;
}

/** The headers that tell who sent a message, when and that it is whole; one signature for each secret. */
export async function signatureHeaders(
  secrets: readonly string[],
  { id, at, body }: Signed,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const text = encoder.encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(secrets.map((secret) => signature(secret, text)));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

async function signature(secret: string, text: Uint8Array): Promise<string> {
  const bytes = Uint8Array.fromBase64(secret.slice(prefix.length));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  return `v1,${new Uint8Array(await crypto.subtle.sign("HMAC", key, text)).toBase64()}`;
}
