import * as z from "zod/mini";
import type { CredentialInput } from "#actions/credentials.ts";
import { endOfDay, instant, isCalendarDay, isTimeZone } from "#domain/time.ts";
import { presetNamed } from "./issue.tsx";
import { mostOrigins, type Credential, defaultLimits, type Resources } from "#domain/credential/credential.ts";
import { permissions } from "#domain/credential/permissions.ts";
import { isStorable, storable } from "#domain/text.ts";

type Expiry = { days: number } | { day: string } | { at: number | null };

/** Always chosen: 30d, 90d, 365d (or any number of days), a date, or never. */
export const expires = z.pipe(
  z.string(),
  z.transform((sent: string, ctx): Expiry => {
    if (sent === "never") return { at: null };
    const days = /^(\d{1,4})d$/.exec(sent)?.[1];
    if (days !== undefined) return { days: Number(days) };
    if (isCalendarDay(sent)) return { day: sent };
    const at = instant(sent);
    if (at !== undefined) return { at };
    ctx.issues.push({
      code: "custom",
      message: "Must be 30d, 90d, 365d, a date, or never.",
      input: sent,
    });
    return z.NEVER;
  }),
);

const day = 24 * 60 * 60 * 1000;

/** A day is good until it ends, in the zone that was chosen. */
export function expiryOf(
  chosen: z.infer<typeof expires>,
  zone: string,
  now: number,
): Pick<CredentialInput, "expiresAt" | "expiresZone"> {
  if ("days" in chosen) return { expiresAt: now + chosen.days * day, expiresZone: null };
  if ("at" in chosen) return { expiresAt: chosen.at, expiresZone: null };
  return { expiresAt: endOfDay(chosen.day, zone) ?? now, expiresZone: zone };
}

/**
 * A form sends empty what was not chosen; its day stands apart from the choices, as do the permissions of a purpose and
 * whether everything is meant. `purpose` and `scope` mark what came from a form: there nothing stays as it was unsaid.
 */
export const tidy = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.transform((sent) => (typeof sent === "object" && sent !== null ? tidied({ ...sent }) : sent)),
    schema,
  );

function tidied(sent: Record<string, unknown>): Record<string, unknown> {
  const { expires_on: day, scope, purpose, ...rest } = sent;
  if (rest["expires"] === "day" || rest["expires"] === undefined) rest["expires"] = day;
  if (rest["expires"] === "keep") delete rest["expires"];
  if (rest["origins"] === "") rest["origins"] = [];
  if (purpose !== undefined) Object.assign(rest, permissionsFor(purpose, rest["permissions"]));
  if (scope !== undefined) rest["resources"] = resourcesFor(scope, rest["resources"]);
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== "" && value !== undefined),
  );
}

function permissionsFor(purpose: unknown, chosen: unknown) {
  if (purpose === "custom") return { permissions: chosen ?? [] };
  const preset = presetNamed(purpose);
  return preset ? { permissions: [...preset.permissions] } : { purpose };
}

/** Everything and single ones are never both meant: whoever sends both is asked which. */
function resourcesFor(scope: unknown, chosen: unknown): unknown {
  if (scope !== "all") return chosen ?? [];
  return chosen === undefined ? "all" : ["all", ...[chosen].flat()];
}

/** A list sent as an array, as repeated form fields, or with commas or spaces between. */
export const list = <Item extends z.ZodMiniType>(item: Item) =>
  z.pipe(
    z.transform((sent) => (typeof sent === "string" ? words(sent) : sent)),
    z.array(item).check(z.minLength(1, "Choose at least one.")),
  );

export function words(sent: string): string[] {
  return sent.split(/[\s,]+/).filter((word) => word !== "");
}

const resource = z
  .string()
  .check(z.regex(/^(app|form):[a-z][a-z0-9_-]{0,62}$/, "Must be app:KEY or form:KEY."));

export const resources = z.pipe(
  z.transform((sent, ctx) => {
    const read = typeof sent === "string" && sent !== "all" ? words(sent) : sent;
    const message = wrongChoice(read);
    if (message !== undefined) ctx.issues.push({ code: "custom", message, input: read });
    return message === undefined ? read : z.NEVER;
  }),
  z.union([z.literal("all"), z.array(resource).check(z.maxLength(500))], {
    error: 'Must be "all", or a list of app:KEY and form:KEY.',
  }),
);

export function wrongChoice(chosen: unknown): string | undefined {
  if (!Array.isArray(chosen)) return undefined;
  if (chosen.length === 0)
    return "Choose what it has access to: everything, or at least one form or app.";
  return chosen.includes("all")
    ? "Choose either everything or single forms and apps, not both."
    : undefined;
}

/** An origin as browsers say it (RFC 6454): over https, or of a developer's own machine. */
const origin = z
  .string()
  .check(
    z.refine(
      isOrigin,
      "Must be an origin like https://shop.example: no path, no * and no slash at the end.",
    ),
  );

function isOrigin(text: string): boolean {
  const address = URL.parse(text);
  if (!address || address.origin !== text) return false;
  const local = ["localhost", "127.0.0.1"].includes(address.hostname);
  return address.protocol === "https:" || (address.protocol === "http:" && local);
}

/** None, or a list as an array or with spaces or lines between. */
export const origins = z.pipe(
  z.transform((sent) => (typeof sent === "string" ? [...new Set(words(sent))] : sent)),
  z.array(origin).check(z.maxLength(mostOrigins)),
);

const perMinute = (most: number) => z.coerce.number().check(z.int(), z.minimum(1), z.maximum(most));

export const shape = {
  name: z
    .string()
    .check(z.minLength(1), z.maxLength(200), z.refine(isStorable, `Must be ${storable}.`)),
  permissions: list(z.enum(permissions)),
  resources,
  requests: perMinute(100_000),
  writes: perMinute(100_000),
  expires,
  /** The zone in which a day ends. */
  time_zone: z.string().check(z.refine(isTimeZone, "Must be an IANA time zone, like Asia/Tokyo.")),
  origins,
};

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

/**
 * What the page sends: all that is not chosen there is told at once, and a credential without a name is called after
 * what it is for. Scripts, which send no mark of the page, name all themselves.
 */
export const fromPage = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.transform((sent, ctx) => {
      if (typeof sent !== "object" || sent === null || !("page" in sent)) return sent;
      const { page: _, ...rest } = sent as Record<string, unknown>;
      const preset = presetNamed(rest["purpose"]);
      const refuse = (field: string, message: string) =>
        ctx.issues.push({ code: "custom", message, input: "", path: [field] });
      if (!preset && rest["purpose"] !== "custom") refuse("purpose", "Choose what it is for.");
      const chosen = rest["scope"] === "all" ? "all" : (rest["resources"] ?? []);
      const message = wrongChoice(chosen);
      if (message !== undefined) refuse("resources", message);
      return rest["name"] === "" ? { ...rest, name: preset?.name ?? "Custom" } : rest;
    }),
    schema,
  );

export const IssueInput = tidy(
  z.strictObject({
    ...shape,
    kind: z.enum(["token", "client"]),
    requests: z._default(shape.requests, defaultLimits.requests),
    writes: z._default(shape.writes, defaultLimits.writes),
    time_zone: z._default(shape.time_zone, "UTC"),
    origins: z._default(shape.origins, []),
  }),
);

export function issueInput(
  sent: Omit<z.infer<typeof IssueInput>, "kind">,
  now: number,
): CredentialInput {
  const { requests, writes, expires: chosen, time_zone, ...rest } = sent;
  const limits = { requests, writes };
  return { ...withResources(rest), limits, ...expiryOf(chosen, time_zone, now) };
}

function withResources<Sent extends { resources: "all" | string[] }>(sent: Sent) {
  const kept: Resources = sent.resources;
  return { ...sent, resources: kept };
}
