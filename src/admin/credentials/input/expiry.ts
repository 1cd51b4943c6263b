import * as z from "zod/mini";
import type { CredentialInput } from "../../../actions/credentials/credentials";
import { endOfDay } from "../../../domain/zoned-day";
import { instant, isCalendarDay } from "../../../domain/time";

type Expiry = { days: number } | { day: string } | { at: number | null };

/** Always chosen: 30d, 90d, 365d (or any number of days), a date, or never. */
export const expires = z.pipe(
  z.string(),
  z.transform((sent: string, ctx): Expiry => {
    if (sent === "never") return { at: null };
    const days = /^(\d{1,4})d$/.exec(sent)?.[1];
    if (days !== undefined) return { days: Number(days) };
    if (isCalendarDay(sent)) return { day: sent };
    const at = instant(sent);
    if (at !== undefined) return { at };
    ctx.issues.push({
      code: "custom",
      message: "Must be 30d, 90d, 365d, a date, or never.",
      input: sent,
    });
    return z.NEVER;
  }),
);

const day = 24 * 60 * 60 * 1000;

/** A day is good until it ends, in the zone that was chosen. */
export function expiryOf(
  chosen: z.infer<typeof expires>,
  zone: string,
  now: number,
): Pick<CredentialInput, "expiresAt" | "expiresZone"> {
  if ("days" in chosen) return { expiresAt: now + chosen.days * day, expiresZone: null };
  if ("at" in chosen) return { expiresAt: chosen.at, expiresZone: null };
  return { expiresAt: endOfDay(chosen.day, zone) ?? now, expiresZone: zone };
}
