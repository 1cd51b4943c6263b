import * as z from "zod/mini";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AdminEnv } from "#http/env.ts";
import { Select } from "#html/inputs.tsx";
import { lazy } from "#domain/lazy.ts";

const cookieName = "handed_secret";
const cookieMaxAgeSeconds = 300;
const secretPath = (place: string) => `${place}/secret`;

/**
 * Passes a new secret to the page `${place}/secret` in a sealed cookie, which is bound to that path and to the session.
 * A reload creates no second secret, and the server stores nothing.
 */
export async function storeOneTimeSecret(
  c: Context<AdminEnv>,
  place: string,
  secret: string,
): Promise<Response> {
  const path = secretPath(place);
  const sealed = await c.env.keys.seal(secret, sealBinding(c, place));
  const options = { httpOnly: true, secure: true, sameSite: "Strict", path } as const;
  setCookie(c, cookieName, sealed, { ...options, maxAge: cookieMaxAgeSeconds });
  return c.redirect(path, 303);
}

/** Returns the secret once and deletes the cookie. Undefined when the page was shown before. */
export async function takeOneTimeSecret(
  c: Context<AdminEnv>,
  place: string,
): Promise<string | undefined> {
  const sealed = getCookie(c, cookieName);
  if (sealed === undefined) return undefined;
  deleteCookie(c, cookieName, { path: secretPath(place), secure: true });
  return c.env.keys.open(sealed, sealBinding(c, place));
}

const sealBinding = (c: Context<AdminEnv>, place: string) =>
  `secret of ${place} for ${c.var.member.id} ${c.var.session}`;

const hourMs = 60 * 60 * 1000;
const overlapDurations = { none: 0, "1h": hourMs, "24h": 24 * hourMs, "7d": 7 * 24 * hourMs };

/** How long the old secret remains valid, in milliseconds. */
export const RotateInput = lazy(() =>
  z.strictObject({
    overlap: z.pipe(
      z._default(z.enum(["none", "1h", "24h", "7d"]), "24h"),
      z.transform((name: keyof typeof overlapDurations) => overlapDurations[name]),
    ),
  }),
);

/** Rotates the secret. The member chooses when the old one expires. */
export function RotateSecretForm({ action }: { action: string }) {
  return (
    <>
      <h2>Rotate secret</h2>
      <p class="lead">
        Creates a new secret. The current one keeps working for the time you choose, and any older
        one expires immediately.
      </p>
      <form method="post" action={action}>
        <Select
          name="overlap"
          label="Expire old secret"
          value="24h"
          options={[
            { value: "none", label: "Immediately" },
            { value: "1h", label: "In 1 hour" },
            { value: "24h", label: "In 24 hours" },
            { value: "7d", label: "In 7 days" },
          ]}
        />
        <button type="submit">Rotate secret</button>
      </form>
    </>
  );
}
