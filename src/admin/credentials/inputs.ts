import * as z from "zod/mini";
import type { CredentialInput } from "#actions/credentials.ts";
import { endOfDayMs, toEpochMs, isCalendarDay, isTimeZone } from "#domain/time.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { applyRecommendations, findPreset, nameAfterPurpose } from "./issue.tsx";
import {
  maxOrigins,
  type Credential,
  defaultRateLimits,
  type Resources,
} from "#domain/credential/credential.ts";
import { permissions } from "#domain/credential/permissions.ts";
import { isStorable } from "#domain/text.ts";

/** The error texts of the inputs. */
type Errors = Catalogue["credentialAccess"]["errors"];

type ExpiryChoice = { days: number } | { day: string } | { at: number | null };

/** The expiry is required: a number of days like 30d, a date, a timestamp, or never. */
const expirySchema = (errors: Errors) =>
  z.pipe(
    z.string(),
    z.transform((input: string, ctx): ExpiryChoice => {
      if (input === "never") return { at: null };
      const days = /^(\d{1,4})d$/.exec(input)?.[1];
      if (days !== undefined) return { days: Number(days) };
      if (isCalendarDay(input)) return { day: input };
      const at = toEpochMs(input);
      if (at !== undefined) return { at };
      ctx.issues.push({ code: "custom", message: errors.expiry, input });
      return z.NEVER;
    }),
  );

const dayMs = 24 * 60 * 60 * 1000;

/** A chosen day expires at its end in the chosen zone. */
function resolveExpiry(
  expiry: z.infer<ReturnType<typeof expirySchema>>,
  zone: string,
  now: number,
): Pick<CredentialInput, "expiresAt" | "expiresZone"> {
  if ("days" in expiry) return { expiresAt: now + expiry.days * dayMs, expiresZone: null };
  if ("at" in expiry) return { expiresAt: expiry.at, expiresZone: null };
  return { expiresAt: endOfDayMs(expiry.day, zone) ?? now, expiresZone: zone };
}

/**
 * Converts form values to the shape that scripts send. Forms send empty strings for missing values, and the day of
 * expiry, the purpose and the scope as separate inputs. With `purpose` or `scope`, omitted choices replace old values.
 */
const normalizeInput = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.transform((values) =>
      typeof values === "object" && values !== null ? normalizeValues({ ...values }) : values,
    ),
    schema,
  );

function normalizeValues(values: Record<string, unknown>): Record<string, unknown> {
  const { expires_on: day, scope, purpose, shown: _, ...input } = values;
  if (input["expires"] === "day" || input["expires"] === undefined) input["expires"] = day;
  if (input["expires"] === "keep") delete input["expires"];
  if (input["origins"] === "") input["origins"] = [];
  if (purpose !== undefined)
    Object.assign(input, resolvePermissions(purpose, input["permissions"]));
  if (scope !== undefined) input["resources"] = resolveResources(scope, input["resources"]);
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== "" && value !== undefined),
  );
}

function resolvePermissions(purpose: unknown, choices: unknown) {
  if (purpose === "custom") return { permissions: choices ?? [] };
  const preset = findPreset(purpose);
  return preset ? { permissions: [...preset.permissions] } : { purpose };
}

/** Returns both when the form sends “All” and single resources, so that validation rejects the contradiction. */
function resolveResources(scope: unknown, resources: unknown): unknown {
  if (scope !== "all") return resources ?? [];
  return resources === undefined ? "all" : ["all", ...[resources].flat()];
}

/** A list as an array, repeated form fields, or a text with commas or spaces. */
const listSchema = <Item extends z.ZodMiniType>(item: Item, errors: Errors) =>
  z.pipe(
    z.transform((value) => (typeof value === "string" ? splitWords(value) : value)),
    z.array(item).check(z.minLength(1, errors.atLeastOne)),
  );

function splitWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

const resourcePattern = /^(app|form):[a-z][a-z0-9_-]{0,62}(\/[a-z][a-z0-9_-]{0,62})?$/;

const resourcesSchema = (errors: Errors) =>
  z.pipe(
    z.transform((value, ctx) => {
      const resources = typeof value === "string" && value !== "all" ? splitWords(value) : value;
      const message = findResourcesError(resources, errors);
      if (message !== undefined) ctx.issues.push({ code: "custom", message, input: resources });
      return message === undefined ? resources : z.NEVER;
    }),
    z.union(
      [
        z.literal("all"),
        z
          .array(z.string().check(z.regex(resourcePattern, errors.resource)))
          .check(z.maxLength(500)),
      ],
      { error: errors.resources },
    ),
  );

function findResourcesError(resources: unknown, errors: Errors): string | undefined {
  if (!Array.isArray(resources)) return undefined;
  if (resources.length === 0) return errors.noResources;
  return resources.includes("all") ? errors.allAndSome : undefined;
}

/** Whether this is an origin in the format of browsers (RFC 6454): https, or http on localhost. */
function isOrigin(text: string): boolean {
  const address = URL.parse(text);
  // The URL parser accepts `*` in a host name. No browser sends such an origin.
  if (!address || address.origin !== text || text.includes("*")) return false;
  const isLocal = ["localhost", "127.0.0.1"].includes(address.hostname);
  return address.protocol === "https:" || (address.protocol === "http:" && isLocal);
}

/** A list as an array, or a text with spaces, commas or line breaks. May be empty. */
const originsSchema = (errors: Errors) =>
  z.pipe(
    z.transform((value) => (typeof value === "string" ? [...new Set(splitWords(value))] : value)),
    z.array(z.string().check(z.refine(isOrigin, errors.origin))).check(z.maxLength(maxOrigins)),
  );

const rateLimitSchema = (maximum: number) =>
  z.coerce.number().check(z.int(), z.minimum(1), z.maximum(maximum));

const credentialShape = (errors: Errors) => ({
  name: z.string().check(z.minLength(1), z.maxLength(200), z.refine(isStorable, errors.name)),
  permissions: listSchema(z.enum(permissions), errors),
  resources: resourcesSchema(errors),
  requests: rateLimitSchema(100_000),
  writes: rateLimitSchema(100_000),
  expires: expirySchema(errors),
  /** The zone in which the day of expiry ends. */
  time_zone: z.string().check(z.refine(isTimeZone, errors.zone)),
  origins: originsSchema(errors),
});

/** Omitted members keep their values. */
export const EditInput = ({ credentialAccess: { errors } }: Catalogue) =>
  normalizeInput(
    z.partial(
      z.strictObject({ ...credentialShape(errors), version: z.coerce.number().check(z.int()) }),
    ),
  );

/** The new values of an edited credential. Omitted members keep their values. */
export function toCredentialChange(
  { requests, writes, expires, time_zone, ...properties }: z.infer<ReturnType<typeof EditInput>>,
  before: Credential,
  now: number,
): Partial<CredentialInput> {
  const limits = {
    requests: requests ?? before.limits.requests,
    writes: writes ?? before.limits.writes,
  };
  const values = Object.fromEntries(
    Object.entries(properties).filter(([name, value]) => name !== "version" && value !== undefined),
  );
  const expiry = expires
    ? resolveExpiry(expires, time_zone ?? before.expiresZone ?? "UTC", now)
    : { expiresAt: before.expiresAt, expiresZone: before.expiresZone };
  return { ...values, limits, ...expiry };
}

/**
 * Reports all missing choices of the page at once, and names a credential without a name after its purpose. Only the
 * page sends `page`. Input of scripts passes unchanged.
 */
export const requireChoices = <Schema extends z.ZodMiniType>(schema: Schema, text: Catalogue) =>
  z.pipe(
    z.transform((input, ctx) => {
      if (typeof input !== "object" || input === null || !("page" in input)) return input;
      const { page: _, ...values } = input as Record<string, unknown>;
      const { errors } = text.credentialAccess;
      const preset = findPreset(values["purpose"]);
      const addError = (field: string, message: string) =>
        ctx.issues.push({ code: "custom", message, input: "", path: [field] });
      if (!preset && values["purpose"] !== "custom") addError("purpose", errors.purpose);
      const resources = values["scope"] === "all" ? "all" : (values["resources"] ?? []);
      const message = findResourcesError(resources, errors);
      if (message !== undefined) addError("resources", message);
      else if (preset?.seesPart) checkPart(values, resources, errors, addError);
      const recommended = applyRecommendations(values);
      if (recommended["name"] !== "") return recommended;
      return { ...recommended, name: nameAfterPurpose(values["purpose"], text) };
    }),
    schema,
  );

/**
 * Checks a purpose that gives access to a part. It needs views. It allows no origins, because all visitors of a page
 * would share the part. The views of a partner are created for the selected forms and apps.
 */
function checkPart(
  { purpose, origins }: Record<string, unknown>,
  resources: unknown,
  errors: Errors,
  addError: (field: string, message: string) => void,
): void {
  const isPart = (name: unknown) => purpose === "partner" || String(name).includes("/");
  if (resources === "all") addError("resources", errors.allOfPart);
  else if (![resources].flat().every(isPart)) addError("resources", errors.notViews);
  if (typeof origins === "string" && origins.trim() !== "")
    addError("origins", errors.originsOfPart);
}

export function IssueInput({ credentialAccess: { errors } }: Catalogue) {
  const shape = credentialShape(errors);
  return normalizeInput(
    z.strictObject({
      ...shape,
      kind: z.enum(["token", "client"]),
      requests: z._default(shape.requests, defaultRateLimits.requests),
      writes: z._default(shape.writes, defaultRateLimits.writes),
      time_zone: z._default(shape.time_zone, "UTC"),
      origins: z._default(shape.origins, []),
    }),
  );
}

export function toCredentialInput(
  input: Omit<z.infer<ReturnType<typeof IssueInput>>, "kind">,
  now: number,
): CredentialInput {
  const { requests, writes, expires, time_zone, ...values } = input;
  const limits = { requests, writes };
  return { ...withResources(values), limits, ...resolveExpiry(expires, time_zone, now) };
}

function withResources<Input extends { resources: "all" | string[] }>(input: Input) {
  const resources: Resources = input.resources;
  return { ...input, resources };
}
