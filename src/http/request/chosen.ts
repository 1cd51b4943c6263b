import * as z from "zod/mini";
import type { CollectionKind } from "../../domain/definition/collection";

const keyList = z.optional(
  z
    .string()
    .check(
      z.maxLength(2000),
      z.regex(
        /^[a-z][a-z0-9_-]{0,62}(?:,[a-z][a-z0-9_-]{0,62})*$/,
        "Must be keys, divided by commas.",
      ),
    ),
);

/** The parameters that choose apps and forms by their keys. */
export const chosenKeys = z.object({ apps: keyList, forms: keyList });

/** An app or form as it is called. */
export interface Called {
  kind: CollectionKind;
  key: string;
}

/** Those that were chosen, each once. */
export function calledByKeys({ apps, forms }: z.output<typeof chosenKeys>): Called[] {
  return [...called("app", apps), ...called("form", forms)];
}

function called(kind: CollectionKind, keys: string | undefined): Called[] {
  return [...new Set(keys?.split(",") ?? [])].map((key) => ({ kind, key }));
}
