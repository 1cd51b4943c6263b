import * as z from "zod/mini";
import { lazy } from "#domain/lazy.ts";
import { isStorable, notStorableReason } from "#domain/text.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

const maxViews = 50;
const viewKeyPattern = /^[a-z][a-z0-9_-]{0,62}$/;

/** `parseView` validates conditions, sort keys and fields, because they depend on the fields of the definition. */
const viewSchema = lazy(() =>
  z.strictObject({
    key: z
      .string()
      .check(z.regex(viewKeyPattern, reasonFor("keyFormat", { pattern: viewKeyPattern.source }))),
    name: z
      .string()
      .check(z.minLength(1), z.maxLength(200), z.refine(isStorable, notStorableReason)),
    conditions: z.optional(z.array(z.unknown())),
    sort: z.optional(z.array(z.unknown())),
    fields: z.optional(z.array(z.string())),
  }),
);
export const viewsSchema = lazy(() => z.array(viewSchema()).check(z.maxLength(maxViews)));
export type ViewDocument = z.infer<ReturnType<typeof viewSchema>>;
