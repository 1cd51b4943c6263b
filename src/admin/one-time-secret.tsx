import * as z from "zod/mini";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { signingKeys } from "#domain/credential/keys.ts";
import type { AdminEnv } from "#http/env.ts";
import { Select } from "#html/inputs.tsx";

const cookie = "handed_secret";
const maxAge = 300;
const pageOf = (place: string) => `${place}/secret`;

/**
 * Hands a new secret to the page that shows it, below the place of what it is of: sealed, in a cookie of that page
 * alone, for the session that made it. So a reload of the page makes no second one, and nothing is kept here.
 */
export async function handSecret(
  c: Context<AdminEnv>,
  place: string,
  secret: string,
): Promise<Response> {
  const path = pageOf(place);
  const sealed = await signingKeys(c.env.TOKEN_SECRET).seal(secret, about(c, place));
  const options = { httpOnly: true, secure: true, sameSite: "Strict", path } as const;
  setCookie(c, cookie, sealed, { ...options, maxAge });
  return c.redirect(path, 303);
}

/** The secret, once; undefined where it was shown before. */
export async function takeSecret(c: Context<AdminEnv>, place: string): Promise<string | undefined> {
  const sealed = getCookie(c, cookie);
  if (sealed === undefined) return undefined;
  deleteCookie(c, cookie, { path: pageOf(place), secure: true });
  return signingKeys(c.env.TOKEN_SECRET).open(sealed, about(c, place));
}

const about = (c: Context<AdminEnv>, place: string) =>
  `secret of ${place} for ${c.var.member.id} ${c.var.session}`;

const hour = 60 * 60 * 1000;
const overlaps = { none: 0, "1h": hour, "24h": 24 * hour, "7d": 7 * 24 * hour };

/** How long the secret before lives on beside the new one. */
export const RotateInput = z.strictObject({
  overlap: z.pipe(
    z._default(z.enum(["none", "1h", "24h", "7d"]), "24h"),
    z.transform((name: keyof typeof overlaps) => overlaps[name]),
  ),
});

/** Makes another secret; the one before lives on as long as is chosen. */
export function Rotation({ action }: { action: string }) {
  return (
    <>
      <h2>Make a new secret</h2>
      <p class="lead">
        The one before it lives on for a while, so that the other system can change over without a
        break. An older third one ends at once.
      </p>
      <form method="post" action={action}>
        <Select
          name="overlap"
          label="The secret before ends"
          value="24h"
          options={[
            { value: "none", label: "At once" },
            { value: "1h", label: "In an hour" },
            { value: "24h", label: "In 24 hours" },
            { value: "7d", label: "In 7 days" },
          ]}
        />
        <button type="submit">Make a new secret</button>
      </form>
    </>
  );
}
