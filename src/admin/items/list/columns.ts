import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Field } from "../../../domain/definition/field";

const cookie = "columns";
const year = 365 * 24 * 60 * 60;
const mostColumns = 5;
const mostCharacters = 2000;

/** The columns that somebody chose for this list, or chooses now. The browser keeps them, for this list alone. */
export function chosenColumns(c: Context, chosen: string[] | undefined): string[] | undefined {
  if (chosen === undefined) return getCookie(c, cookie)?.split(".");
  const kept = chosen.join(".");
  if (kept.length > mostCharacters) return chosen;
  const { pathname } = new URL(c.req.url);
  // No path of a cookie has one, nor has any key: there is no such list.
  if (pathname.includes(";")) return chosen;
  setCookie(c, cookie, kept, {
    secure: true,
    httpOnly: true,
    sameSite: "Lax",
    path: pathname,
    maxAge: year,
  });
  return chosen;
}

/** The fields that are shown: the chosen ones, or the first that fit a table. */
export function shownColumns(
  fields: readonly Field[],
  chosen: readonly string[] | undefined,
): Field[] {
  const known = fields.filter(({ key }) => chosen?.includes(key));
  if (known.length > 0) return known;
  return fields.filter(({ type }) => type !== "multiline_text").slice(0, mostColumns);
}
