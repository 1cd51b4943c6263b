import * as z from "zod/mini";
import { lazy } from "#domain/lazy.ts";
import { isStorable, notStorableReason } from "#domain/text.ts";
import { columnSeparator } from "./columns.ts";
import { parseQuery, type Query } from "./query.ts";

const maxSearchLength = 4000;

export const searchSchema = () => z._default(z.string().check(z.maxLength(maxSearchLength)), "");

const nameSchema = () =>
  z
    .string()
    .check(z.trim(), z.minLength(1), z.maxLength(200), z.refine(isStorable, notStorableReason));

export const FilterInput = lazy(() =>
  z.object({ name: nameSchema(), search: searchSchema(), columns: z.optional(z.string()) }),
);

/** A new name, or the list whose filters, sort and columns replace the saved ones. */
export const ChangeInput = lazy(() =>
  z.object({
    name: z.optional(nameSchema()),
    search: z.optional(z.string().check(z.maxLength(maxSearchLength))),
    sure: z.optional(z.string()),
    /** The version of the definition for which the member has confirmed the change. */
    version: z.optional(z.coerce.number()),
  }),
);

export type SavedChange = z.infer<ReturnType<typeof ChangeInput>>;

/** Reads the search of the form, with the visible columns if the member wants to save them. */
export function readSearch({
  search,
  columns,
}: {
  search: string;
  columns?: string | undefined;
}): Query {
  const query = parseQuery(search);
  const keys = columns?.split(columnSeparator).filter((key) => key !== "");
  return keys && keys.length > 0 ? { ...query, columns: keys } : query;
}
