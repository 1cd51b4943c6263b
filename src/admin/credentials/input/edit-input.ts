import * as z from "zod/mini";
import type { CredentialInput } from "../../../actions/credentials/credentials";
import type { Credential } from "../../../domain/credential/credential";
import { expiryOf } from "./expiry";
import { tidy } from "./tidy";
import { shape } from "./shape";

/** What is left out stays as it is. */
export const EditInput = tidy(
  z.partial(z.strictObject({ ...shape, version: z.coerce.number().check(z.int()) })),
);

/** What an edit makes of a credential: what was not sent stays. */
export function editInput(
  { requests, writes, expires: chosen, time_zone, ...rest }: z.infer<typeof EditInput>,
  before: Credential,
  now: number,
): Partial<CredentialInput> {
  const limits = {
    requests: requests ?? before.limits.requests,
    writes: writes ?? before.limits.writes,
  };
  const given = Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => name !== "version" && value !== undefined),
  );
  const expiry = chosen
    ? expiryOf(chosen, time_zone ?? before.expiresZone ?? "UTC", now)
    : { expiresAt: before.expiresAt, expiresZone: before.expiresZone };
  return { ...given, limits, ...expiry };
}
