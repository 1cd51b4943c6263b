import * as z from "zod/mini";
import { words } from "./list";

const resource = z
  .string()
  .check(z.regex(/^(app|form):[a-z][a-z0-9_-]{0,62}$/, "Must be app:KEY or form:KEY."));

export const resources = z.pipe(
  z.transform((sent, ctx) => {
    const read = typeof sent === "string" && sent !== "all" ? words(sent) : sent;
    const message = wrongChoice(read);
    if (message !== undefined) ctx.issues.push({ code: "custom", message, input: read });
    return message === undefined ? read : z.NEVER;
  }),
  z.union([z.literal("all"), z.array(resource).check(z.maxLength(500))], {
    error: 'Must be "all", or a list of app:KEY and form:KEY.',
  }),
);

export function wrongChoice(chosen: unknown): string | undefined {
  if (!Array.isArray(chosen)) return undefined;
  if (chosen.length === 0)
    return "Choose what it has access to: everything, or at least one form or app.";
  return chosen.includes("all")
    ? "Choose either everything or single forms and apps, not both."
    : undefined;
}
