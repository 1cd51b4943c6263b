import * as z from "zod";
import type { CredentialInput } from "../actions/credentials";
import { defaultLimits } from "../domain/credential";
import { permissions, type Resources } from "../domain/permissions";
import { instant } from "../domain/time";

/** A list sent as an array, as repeated form fields, or with commas or spaces between. */
const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((sent) => (typeof sent === "string" ? words(sent) : sent), z.array(item));

function words(sent: string): string[] {
  return sent.split(/[\s,]+/).filter((word) => word !== "");
}

const resource = z
  .string()
  .regex(/^(app|form):[a-z][a-z0-9_-]{0,62}$/, "Must be app:KEY or form:KEY.");

const resources = z.preprocess(
  (sent) => (typeof sent === "string" && sent !== "all" ? words(sent) : sent),
  z.union([z.literal("all"), z.array(resource).min(1).max(500)], {
    error: 'Must be "all", or a list of app:KEY and form:KEY.',
  }),
);

const perMinute = (most: number) => z.coerce.number().int().min(1).max(most);

/** Always chosen: 30d, 90d, 365d (or any number of days), a date, or never. */
const expires = z.string().transform((sent, ctx) => {
  if (sent === "never") return { days: null, at: null };
  const days = /^(\d{1,4})d$/.exec(sent)?.[1];
  if (days !== undefined) return { days: Number(days), at: null };
  const at = instant(/^\d{4}-\d\d-\d\d$/.test(sent) ? `${sent}T00:00:00Z` : sent);
  if (at !== undefined) return { days: null, at };
  ctx.addIssue({ code: "custom", message: "Must be 30d, 90d, 365d, a date, or never." });
  return z.NEVER;
});

const shape = {
  name: z.string().min(1).max(200),
  permissions: list(z.enum(permissions)).pipe(z.array(z.enum(permissions)).min(1)),
  resources,
  requests: perMinute(100_000),
  writes: perMinute(100_000),
  expires,
};

export const IssueInput = z.strictObject({
  ...shape,
  kind: z.enum(["token", "client"]),
  requests: shape.requests.default(defaultLimits.requests),
  writes: shape.writes.default(defaultLimits.writes),
});

/** What is left out stays as it is. */
export const EditInput = z.strictObject(shape).partial();

const hour = 60 * 60 * 1000;
const overlaps = { none: 0, "1h": hour, "24h": 24 * hour, "7d": 7 * 24 * hour };

/** How long the secret before lives on beside the new one. */
export const RotateInput = z.strictObject({
  overlap: z
    .enum(["none", "1h", "24h", "7d"])
    .default("24h")
    .transform((name) => overlaps[name]),
});

export function credentialInput(
  sent: Omit<z.infer<typeof IssueInput>, "kind">,
  now: number,
): CredentialInput {
  const { requests, writes, expires: chosen, ...rest } = sent;
  return { ...withResources(rest), limits: { requests, writes }, expiresAt: expiryOf(chosen, now) };
}

function withResources<Sent extends { resources: "all" | string[] }>(sent: Sent) {
  const kept: Resources = sent.resources;
  return { ...sent, resources: kept };
}

export function expiryOf(chosen: z.infer<typeof expires>, now: number): number | null {
  return chosen.days === null ? chosen.at : now + chosen.days * 24 * hour;
}
