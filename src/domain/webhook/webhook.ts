import * as z from "zod/mini";
import type { Actor } from "#domain/audit.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { isObject } from "#domain/json.ts";
import { bodyParseOptions, errorAt, zodErrors } from "#domain/problem/field-errors.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import { lazy } from "#domain/lazy.ts";
import { reasonFor, type Reason } from "#domain/problem/reasons.ts";

export const webhookTypes = [
  "record.created",
  "record.updated",
  "record.deleted",
  "record.left_view",
  "submission.created",
  "submission.updated",
  "submission.deleted",
  "submission.closed",
  "submission.left_view",
] as const;
export type WebhookType = (typeof webhookTypes)[number];

/** Returns the kind of collection whose changes events of this type report. */
export const kindOfType = (type: string): CollectionKind =>
  type.startsWith("record.") ? "app" : "form";

/**
 * A webhook is `failing` after its last retry. It is `disabled` when the receiver returns 410 or the maker's rights
 * end. Like `paused` webhooks, both keep their position until they are resumed.
 */
export const webhookStates = ["active", "paused", "failing", "disabled"] as const;
export type WebhookState = (typeof webhookStates)[number];

/**
 * A sealed signing secret. Two can be valid at the same time, and both sign, so that secrets can be rotated without
 * downtime.
 */
export interface WebhookSecret {
  sealed: string;
  created_at: number;
  expires_at: number | null;
}

export interface Webhook {
  id: string;
  /** Increases with every change, including changes of the state. */
  version: number;
  name: string;
  url: string;
  types: WebhookType[];
  /** Names like `app:KEY` and `form:KEY`, or `form:KEY/VIEW` for the items of a view. Or all collections. */
  collections: "all" | string[];
  /** The keys of fields. The webhook sends `….updated` events only for changes of these fields. Null for all fields. */
  changedFields: string[] | null;
  include: "item" | "ids";
  /** Whether the webhook sends events for items that a change of the definition recalculated. */
  recalculations: boolean;
  state: WebhookState;
  /** The reason why the webhook is failing or disabled. */
  reason: string | null;
  secrets: WebhookSecret[];
  /** The actor who last set the target or the content. The webhook sends only what this actor may read. */
  maker: Actor;
  createdAt: number;
  updatedAt: number;
  /** The time of the next attempt after a failed one, and the error of the failed attempt. */
  retryAt: number | null;
  lastError: string | null;
  /** The time when the maker's rights end. 0 after a revocation or removal. */
  makerRightsEndAt: number;
}

export const maxWebhooks = 100;
const maxCollections = 100;
export const maxWebhookSecrets = 2;

export function findValidWebhookSecrets({ secrets }: Webhook, now: number): WebhookSecret[] {
  return secrets.filter(({ expires_at }) => expires_at === null || now < expires_at);
}

/** Splits an entry of `collections` into the name of the collection and the key of the view. */
export function splitEntry(entry: string): { name: string; view: string | undefined } {
  const [name = "", view] = entry.split("/");
  return { name, view };
}

/** Returns the names of the collections, without views. */
export const collectionNames = ({
  collections,
}: Pick<Webhook, "collections">): Webhook["collections"] =>
  collections === "all" ? collections : collections.map((entry) => splitEntry(entry).name);

export function listensTo(hook: Pick<Webhook, "collections">, name: string): boolean {
  const names = collectionNames(hook);
  return names === "all" || names.includes(name);
}

/** Returns the key of the view through which the webhook follows a collection. Undefined for the whole collection. */
export function followedView(
  { collections }: Pick<Webhook, "collections">,
  name: string,
): string | undefined {
  if (collections === "all") return undefined;
  return collections.map(splitEntry).find((entry) => entry.name === name)?.view;
}

const maxUrlLength = 2000;
const allowedPorts = ["", "443", "8443"];
/**
 * Matches user information in a URL, even an empty one like in `https://:@host/`. A parsed URL no longer contains an
 * empty one.
 */
const userInfoPattern = /^[^a-z]*https?:[\\/]*[^\\/?#]*@/i;
/** The URL parser ignores these characters everywhere in a URL. */
const ignoredInUrls = /[\t\n\r]/g;

/**
 * Returns the reason why a URL is not allowed. Undefined when it is allowed. Only `npm run dev` sets `allowsLocal`,
 * which allows http receivers on the same machine. The URL parser first converts hosts like `2130706433` and `0x7f.1`
 * to dotted addresses.
 */
export function findUrlError(text: string, allowsLocal: boolean): Reason | undefined {
  if (text.length > maxUrlLength) return reasonFor("tooLong", { maximum: maxUrlLength });
  if (!URL.canParse(text)) return reasonFor("notAbsoluteUrl");
  const { protocol, hostname, port } = new URL(text);
  if (userInfoPattern.test(text.replaceAll(ignoredInUrls, ""))) {
    return reasonFor("urlWithUser");
  }
  const host = hostname.replace(/\.+$/, "").toLowerCase();
  if (allowsLocal && isLoopback(host) && /^https?:$/.test(protocol)) return undefined;
  if (protocol !== "https:") return reasonFor("notHttps");
  if (!allowedPorts.includes(port)) return reasonFor("wrongPort");
  if (host === "") return reasonFor("noHost");
  if (isIpLiteral(host)) return reasonFor("ipAddress");
  if (isLocalName(host)) return reasonFor("localHost");
  return undefined;
}

const isIpLiteral = (host: string) => host.startsWith("[") || /^\d+(\.\d+){3}$/.test(host);

const isLocalName = (host: string) => host === "localhost" || host.endsWith(".localhost");

const isLoopback = (host: string) =>
  isLocalName(host) || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

const collectionNamePattern = /^(app|form):[a-z][a-z0-9_-]{0,62}(\/[a-z][a-z0-9_-]{0,62})?$/;
const changedFieldPattern = /^(\$status|[a-z][a-z0-9_]{0,62})$/;
const maxChangedFields = 100;
const maxOverlapHours = 168;

const nameSchema = lazy(() => z.string().check(z.minLength(1), z.maxLength(100)));
const urlSchema = lazy(() => z.string());
const typesSchema = lazy(() =>
  z.array(z.enum(webhookTypes)).check(z.minLength(1), z.maxLength(webhookTypes.length)),
);
const collectionsSchema = lazy(() =>
  z.union(
    [
      z.literal("all"),
      z
        .array(z.string().check(z.regex(collectionNamePattern, reasonFor("collectionNameFormat"))))
        .check(z.minLength(1), z.maxLength(maxCollections)),
    ],
    {
      error: reasonFor("notCollections", { maximum: maxCollections }),
    },
  ),
);
const changedFieldsSchema = lazy(() =>
  z.nullable(
    z
      .array(z.string().check(z.regex(changedFieldPattern, reasonFor("changedFieldFormat"))))
      .check(z.minLength(1), z.maxLength(maxChangedFields)),
  ),
);
const includeSchema = lazy(() => z.enum(["item", "ids"]));

/** The body of POST /webhooks. */
export const webhookCreateSchema = lazy(() =>
  z.strictObject({
    name: nameSchema(),
    url: urlSchema(),
    types: typesSchema(),
    collections: collectionsSchema(),
    include: z.optional(includeSchema()),
    recalculations: z.optional(z.boolean()),
    changed_fields: z.optional(changedFieldsSchema()),
  }),
);

/**
 * The body of PATCH. Omitted members stay unchanged. `rotate_secret` creates a secret, and the old one expires later.
 */
export const webhookUpdateSchema = lazy(() =>
  z.strictObject({
    name: z.optional(nameSchema()),
    url: z.optional(urlSchema()),
    types: z.optional(typesSchema()),
    collections: z.optional(collectionsSchema()),
    include: z.optional(includeSchema()),
    recalculations: z.optional(z.boolean()),
    changed_fields: z.optional(changedFieldsSchema()),
    state: z.optional(z.enum(["active", "paused"])),
    rotate_secret: z.optional(
      z.strictObject({ overlap_hours: z.int().check(z.gte(0), z.lte(maxOverlapHours)) }),
    ),
  }),
);

/** Parses a webhook body or throws a 422 with every field error. */
export function parseWebhook<
  Schema extends ReturnType<typeof webhookCreateSchema> | ReturnType<typeof webhookUpdateSchema>,
>(schema: Schema, body: unknown, allowsLocal: boolean): z.output<Schema> {
  const result = schema.safeParse(body, bodyParseOptions);
  const errors = [
    ...(result.success ? [] : zodErrors(result.error.issues)),
    ...urlErrors(isObject(body) ? body["url"] : undefined, allowsLocal),
  ];
  if (!result.success || errors.length > 0) throw problem.invalidInput(errors);
  return result.data as z.output<Schema>;
}

function urlErrors(url: unknown, allowsLocal: boolean): FieldError[] {
  const reason = typeof url === "string" ? findUrlError(url, allowsLocal) : undefined;
  return reason === undefined ? [] : [errorAt(["url"], "invalid_format", reason)];
}
