import { fromBase64url, toBase64url } from "./base64url";
import type { SigningKeys } from "./signature";

const signatureLength = 11;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * An opaque place in a list: JSON and a signature over it and over what it belongs to (`binding`: route,
 * conditions, sort), so that another list's cursor or a damaged one is told from a good one.
 */
export async function makeCursor(
  keys: SigningKeys,
  binding: string,
  position: unknown,
): Promise<string> {
  const body = toBase64url(new TextEncoder().encode(JSON.stringify(position)));
  return (await sign(keys, binding, body)) + body;
}

export async function readCursor(
  keys: SigningKeys,
  binding: string,
  cursor: string,
): Promise<{ position: unknown } | undefined> {
  const body = cursor.slice(signatureLength);
  const signature = cursor.slice(0, signatureLength);
  if (signature.length < signatureLength) return undefined;
  if (!(await keys.verify(`cursor\n${binding}\n${body}`, signature))) return undefined;
  const bytes = fromBase64url(body);
  return bytes && { position: JSON.parse(decoder.decode(bytes)) };
}

async function sign(keys: SigningKeys, binding: string, body: string): Promise<string> {
  return (await keys.sign(`cursor\n${binding}\n${body}`)).slice(0, signatureLength);
}
