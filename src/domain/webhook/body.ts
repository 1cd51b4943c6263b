import * as z from "zod/mini";
import { isObject } from "../json";
import { errorAt } from "../problem/field-errors";
import { problem, type FieldError } from "../problem/problem";
import { zodErrors } from "../problem/zod-errors";
import { addressRefusal } from "./address";
import { mostCollections, webhookTypes } from "./webhook";

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
