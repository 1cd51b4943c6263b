import * as z from "zod/mini";

/** A list sent as an array, as repeated form fields, or with commas or spaces between. */
export const list = <Item extends z.ZodMiniType>(item: Item) =>
  z.pipe(
    z.transform((sent) => (typeof sent === "string" ? words(sent) : sent)),
    z.array(item).check(z.minLength(1, "Choose at least one.")),
  );

export function words(sent: string): string[] {
  return sent.split(/[\s,]+/).filter((word) => word !== "");
}
