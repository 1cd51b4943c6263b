import * as z from "zod/mini";

/** A page of this area, to go back to; anywhere else is the overview. */
export const Back = z.pipe(
  z.optional(z.string().check(z.maxLength(8000))),
  z.transform((path: string | undefined) => ownPath(path) ?? "/admin"),
);

/** A path of this area as it stands in an address of ours; undefined for what leads anywhere else. */
export function ownPath(path: string | undefined): string | undefined {
  return path !== undefined && /^\/admin(?:[/?#][\x21-\x7e]*)?$/.test(path) ? path : undefined;
}
