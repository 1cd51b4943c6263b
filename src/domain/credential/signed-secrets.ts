import { toBase64url } from "#domain/base64url.ts";
import type { Random } from "#domain/ports.ts";
import type { SigningKeys } from "./keys.ts";

/** A secret for one purpose is invalid for the others. */
type Purpose = "session" | "invitation" | "password reset";

const randomBytes = 32;
const randomLength = 43;
const macLength = 22;

/** Creates 256 random bits as text. */
export const createRandomSecret = (random: Pick<Random, "bytes">): string =>
  toBase64url(random.bytes(randomBytes));

/** Appends a MAC of 132 bits, so that invented secrets are rejected without reading storage. */
export async function signSecret(
  keys: Pick<SigningKeys, "sign">,
  purpose: Purpose,
  secret: string,
): Promise<string> {
  return secret + (await keys.sign(`${purpose} ${secret}`)).slice(0, macLength);
}

/** Returns the secret without its MAC, or undefined if the service did not sign it for this purpose. */
export async function openSignedSecret(
  keys: Pick<SigningKeys, "verify">,
  purpose: Purpose,
  signedSecret: string,
): Promise<string | undefined> {
  if (signedSecret.length !== randomLength + macLength) return undefined;
  const secret = signedSecret.slice(0, randomLength);
  const isSigned = await keys.verify(`${purpose} ${secret}`, signedSecret.slice(randomLength));
  return isSigned ? secret : undefined;
}
