import * as z from "zod/mini";
import type { Actor } from "#domain/audit.ts";
import type { ItemAction } from "#domain/item/change.ts";
import { isObject } from "#domain/json.ts";
import { errorAt, zodErrors } from "#domain/problem/field-errors.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";

export const webhookTypes = [
  "record.created",
  "record.updated",
  "submission.created",
  "submission.updated",
  "submission.deleted",
  "submission.closed",
] as const;
export type WebhookType = (typeof webhookTypes)[number];

/**
 * `failing` after the last try of the schedule, `disabled` where the receiver said that it is gone (410) or the maker's
 * credential has ended: both keep their place until somebody resumes them, as `paused` does.
 */
export const webhookStates = ["active", "paused", "failing", "disabled"] as const;
export type WebhookState = (typeof webhookStates)[number];

/** A signing secret, sealed; two live at a time, and both sign, so that one can be rotated without downtime. */
export interface WebhookSecret {
  sealed: string;
  created_at: number;
  expires_at: number | null;
}

export interface Webhook {
  id: string;
  /** Grows with every change, those of its state included. */
  version: number;
  name: string;
  url: string;
  types: WebhookType[];
  /** Those named `app:KEY` and `form:KEY`, or all. */
  collections: "all" | string[];
  include: "item" | "ids";
  state: WebhookState;
  /** Why it is failing or disabled. */
  reason: string | null;
  secrets: WebhookSecret[];
  /** Whoever said last where it goes and what it tells: it tells what that one may read. */
  maker: Actor;
  createdAt: number;
  updatedAt: number;
}

export const mostWebhooks = 100;
export const mostCollections = 100;
export const mostSecrets = 2;

export function liveWebhookSecrets({ secrets }: Webhook, now: number): WebhookSecret[] {
  return secrets.filter(({ expires_at }) => expires_at === null || now < expires_at);
}

export function listensTo({ collections }: Pick<Webhook, "collections">, name: string): boolean {
  return collections === "all" || collections.includes(name);
}

/** What each act is told as. */
const typeOfAction: Record<ItemAction, WebhookType> = {
  "record.create": "record.created",
  "record.update": "record.updated",
  "record.recalculate": "record.updated",
  "submission.create": "submission.created",
  "submission.update": "submission.updated",
  "submission.recalculate": "submission.updated",
  "submission.reopen": "submission.updated",
  "submission.close": "submission.closed",
  "submission.delete": "submission.deleted",
};

/** Closing is an update to whoever does not ask for `submission.closed`, so that a copy misses nothing. */
export function typeTold(
  action: ItemAction,
  types: readonly WebhookType[],
): WebhookType | undefined {
  const type = typeOfAction[action];
  if (types.includes(type)) return type;
  const wider = type === "submission.closed" ? "submission.updated" : type;
  return types.find((each) => each === wider);
}

export function actionsTold(types: readonly WebhookType[]): ItemAction[] {
  const actions = Object.keys(typeOfAction) as ItemAction[];
  return actions.filter((action) => typeTold(action, types) !== undefined);
}

const longest = 2000;
const ports = ["", "443", "8443"];

/**
 * Why a message is not sent to this address; undefined where it may be. `local` is for `npm run dev` alone: receivers on
 * one's own machine, by http. The URL parser reads `2130706433`, `0x7f.1` and the like as the addresses that they are.
 */
export function addressRefusal(text: string, local: boolean): string | undefined {
  if (text.length > longest) return `Must be at most ${longest} characters long.`;
  if (!URL.canParse(text)) return "Must be an absolute URL.";
  const { protocol, hostname, port, username, password } = new URL(text);
  if (username !== "" || password !== "") {
    return "Must have no user name or password in it; a path or a parameter can carry a secret.";
  }
  const host = hostname.replace(/\.$/, "").toLowerCase();
  if (local && isLoopback(host) && /^https?:$/.test(protocol)) return undefined;
  if (protocol !== "https:") return "Must be an https URL.";
  if (!ports.includes(port)) return "The port must be 443 or 8443.";
  if (host === "") return "Must name a host.";
  if (isLiteral(host)) return "Must name a host, not an IP address.";
  if (isLocalName(host)) return "Must be reachable from the internet.";
  return undefined;
}

const isLiteral = (host: string) => host.startsWith("[") || /^\d+(\.\d+){3}$/.test(host);

const isLocalName = (host: string) => host === "localhost" || host.endsWith(".localhost");

const isLoopback = (host: string) =>
  isLocalName(host) || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

const collectionName = /^(app|form):[a-z][a-z0-9_-]{0,62}$/;
const mostOverlapHours = 168;

const name = z.string().check(z.minLength(1), z.maxLength(100));
const url = z.string();
const types = z.array(z.enum(webhookTypes)).check(z.minLength(1), z.maxLength(webhookTypes.length));
const collections = z.union(
  [
    z.literal("all"),
    z
      .array(z.string().check(z.regex(collectionName)))
      .check(z.minLength(1), z.maxLength(mostCollections)),
  ],
  {
    error: `Must be "all", or a list of 1 to ${mostCollections} names like "form:purchase" and "app:orders".`,
  },
);
const include = z.enum(["item", "ids"]);

/** The body of POST /webhooks (contract, section 14). */
export const webhookBody = z.strictObject({
  name,
  url,
  types,
  collections,
  include: z.optional(include),
});

/** The body of PATCH: what is left out stays; `rotate_secret` makes another secret, and the one before lives on a while. */
export const webhookChange = z.strictObject({
  name: z.optional(name),
  url: z.optional(url),
  types: z.optional(types),
  collections: z.optional(collections),
  include: z.optional(include),
  state: z.optional(z.enum(["active", "paused"])),
  rotate_secret: z.optional(
    z.strictObject({ overlap_hours: z.int().check(z.gte(0), z.lte(mostOverlapHours)) }),
  ),
});

/** What was sent, or a 422 with all that is wrong with it. `local` allows receivers on one's own machine. */
export function parseWebhook<Schema extends typeof webhookBody | typeof webhookChange>(
  schema: Schema,
  body: unknown,
  local: boolean,
): z.output<Schema> {
  const parsed = schema.safeParse(body, { reportInput: true });
  const errors = [
    ...(parsed.success ? [] : zodErrors(parsed.error.issues)),
    ...wrongAddress(isObject(body) ? body["url"] : undefined, local),
  ];
  if (!parsed.success || errors.length > 0) throw problem.invalidInput(errors);
  return parsed.data as z.output<Schema>;
}

function wrongAddress(sent: unknown, local: boolean): FieldError[] {
  const refusal = typeof sent === "string" ? addressRefusal(sent, local) : undefined;
  return refusal === undefined ? [] : [errorAt(["url"], "invalid_format", refusal)];
}
