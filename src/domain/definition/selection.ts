import * as z from "zod/mini";
import { lazy } from "#domain/lazy.ts";
import type { CollectionKind } from "./collection.ts";

const keyList = lazy(() =>
  z.optional(
    z
      .string()
      .check(
        z.maxLength(2000),
        z.regex(
          /^[a-z][a-z0-9_-]{0,62}(?:,[a-z][a-z0-9_-]{0,62})*$/,
          "Must be keys, separated by commas.",
        ),
      ),
  ),
);

/** The parameters that select apps and forms by their keys. */
export const selectionQuery = lazy(() => z.object({ apps: keyList(), forms: keyList() }));

/** Identifies an app or form by kind and key. */
export interface CollectionRef {
  kind: CollectionKind;
  key: string;
}

/** Lists the selected collections without duplicates. */
export function selectedCollections({
  apps,
  forms,
}: z.output<ReturnType<typeof selectionQuery>>): CollectionRef[] {
  return [...toCollectionRefs("app", apps), ...toCollectionRefs("form", forms)];
}

function toCollectionRefs(kind: CollectionKind, keys: string | undefined): CollectionRef[] {
  return [...new Set(keys?.split(",") ?? [])].map((key) => ({ kind, key }));
}
