import * as z from "zod/mini";
import { isObject } from "../json";
import type { CollectionKind } from "../definition/collection";
import type { FieldError } from "../problem/problem";
import { zodErrors } from "../problem/zod-errors";

/** Taken as it is: a copy by zod would drop a key named `__proto__`, which is to be refused like any other. */
const data = z.custom<Record<string, unknown>>(isObject, "Must be of type object.");
const created = {
  app: z.strictObject({ data }),
  form: z.strictObject({ status: z.optional(z.string()), data }),
};
const changed = {
  app: created.app,
  form: z.strictObject({ status: z.optional(z.string()), data: z.optional(data) }),
};

interface ItemBody {
  status?: string | undefined;
  /** Null where there is nothing to judge. */
  data: Record<string, unknown> | null;
}

/** The body of a create or an update (contract, section 8); its data is not judged here. */
export function parseItemBody(
  kind: CollectionKind,
  use: "create" | "update",
  body: unknown,
): { body: ItemBody; errors: FieldError[] } {
  const schema = (use === "create" ? created : changed)[kind];
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) {
    const { data: sent = {}, ...rest } = parsed.data;
    return { body: { ...rest, data: sent }, errors: [] };
  }
  // What can be read of a wrong body is judged too, so that all that is wrong is told at once.
  const { status, data: sent } = isObject(body) ? body : {};
  return {
    body: {
      ...(typeof status === "string" ? { status } : {}),
      data: isObject(sent) ? sent : null,
    },
    errors: zodErrors(parsed.error.issues),
  };
}
