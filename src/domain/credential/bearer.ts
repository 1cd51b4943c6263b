import type { SigningKeys } from "./signature";
import { readSecret, type Presented } from "./token";
import { readAccessToken } from "./access-token";

/** Reads what stands behind `Bearer `: a personal token or an access token. */
export async function readBearer(
  keys: SigningKeys,
  bearer: string,
  now: number,
): Promise<Presented | undefined> {
  return bearer.startsWith("efa_")
    ? readAccessToken(keys, bearer, now)
    : readSecret(keys, "efp", bearer);
}
