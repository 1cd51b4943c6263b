import * as z from "zod/mini";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AdminEnv } from "#http/env.ts";
import { Select } from "#html/inputs.tsx";
import { formatTime, Time, useViewer } from "#html/viewer.tsx";
import { lazy } from "#domain/lazy.ts";
import { useText } from "./language/index.tsx";

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

/** Returns the secret once and deletes the cookie. Returns undefined when the page has been shown before. */
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
  ["secret", "of", place, "for", c.var.member.id, c.var.session].join(" ");

const hourMs = 60 * 60 * 1000;
const overlapDurations = { none: 0, "1h": hourMs, "24h": 24 * hourMs, "7d": 7 * 24 * hourMs };
type Overlap = keyof typeof overlapDurations;
const overlaps = Object.keys(overlapDurations) as Overlap[];

/** The time for which the old secret remains valid, in milliseconds. */
export const RotateInput = lazy(() =>
  z.strictObject({
    overlap: z.pipe(
      z._default(z.enum(overlaps), "24h"),
      z.transform((name: Overlap) => overlapDurations[name]),
    ),
  }),
);

/** The old secret to end now. */
export const ExpireInput = lazy(() => z.strictObject({ secret: z.coerce.number().check(z.int()) }));

/** The credential of a secret: a personal token, an API client or a webhook. */
type SecretKind = "token" | "client" | "webhook";

/** Rotates the secret. The member chooses when the old one expires. */
export function RotateSecretForm({ kind, action }: { kind: SecretKind; action: string }) {
  const { secrets } = useText();
  const text = secrets[kind];
  const viewer = useViewer();
  const label = (overlap: Overlap) =>
    overlap === "none"
      ? secrets.overlaps.none
      : secrets.overlapUntil(
          secrets.overlaps[overlap],
          formatTime(viewer, viewer.now + overlapDurations[overlap]),
        );
  return (
    <>
      <h2>{text.rotate}</h2>
      <p class="lead">{text.rotation}</p>
      <form method="post" action={action}>
        <Select
          name="overlap"
          label={text.overlap}
          value="24h"
          options={overlaps.map((value) => ({ value, label: label(value) }))}
        />
        <button type="submit">{text.rotate}</button>
      </form>
    </>
  );
}

/** Shows the time until which older secrets work, and buttons to end them earlier. */
export function OldSecretNotice({
  kind,
  secrets,
}: {
  kind: SecretKind;
  secrets: readonly { expires_at: number | null }[];
}) {
  const text = useText().secrets[kind];
  const ends = secrets.flatMap(({ expires_at }) => (expires_at === null ? [] : [expires_at]));
  if (ends.length === 0) return null;
  return <p class="notice quiet">{text.oldUntil(<Time at={Math.max(...ends)} />)}</p>;
}

/** Shown when the page with the secret is opened again. */
export function SecretAlreadyShown({
  kind,
  secretsPath,
}: {
  kind: SecretKind;
  secretsPath: string;
}) {
  const text = useText().secrets[kind];
  return (
    <>
      <p class="notice warn">{text.alreadyShown}</p>
      <p>
        <a class="button" href={secretsPath}>
          {text.view}
        </a>
      </p>
    </>
  );
}
