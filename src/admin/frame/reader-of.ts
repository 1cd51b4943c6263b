import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { isTimeZone } from "../../domain/time-zone";
import type { Reader } from "../../html/reader";

/** The zone that was chosen here; undefined where the browser's own is taken. */
export function chosenZone(c: Context): string | undefined {
  return zoneIn(getCookie(c, "zone"));
}

export function readerOf(c: Context): Reader {
  const seen = (c.req.raw.cf as { timezone?: string } | undefined)?.timezone;
  const zone = chosenZone(c) ?? zoneIn(getCookie(c, "found_zone")) ?? zoneIn(seen) ?? "UTC";
  return { zone, locale: localeOf(c.req.header("Accept-Language")), now: Date.now() };
}

function zoneIn(name: string | undefined): string | undefined {
  return name !== undefined && name !== "" && isTimeZone(name) ? name : undefined;
}

/** The first language that the browser asks for and the runtime knows; plain "en" would write months first. */
function localeOf(header = ""): string {
  for (const part of header.slice(0, 200).split(",")) {
    const [tag = ""] = part.trim().split(";");
    if (!/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(tag)) continue;
    try {
      const [known] = Intl.DateTimeFormat.supportedLocalesOf(tag);
      if (known !== undefined) return known === "en" ? "en-GB" : known;
    } catch {
      // No language tag after all.
    }
  }
  return "en-GB";
}
