import type { Context } from "hono";
import { ownPath } from "../frame/own-path";
import { readSent } from "../frame/negotiate";

/** What somebody sent after their session had ended: where to, and what they had written. */
export interface Kept {
  path: string;
  fields: [name: string, value: string][];
}

/** Passwords are not carried through a page; nor are files, which no page of this area sends. */
const secret = new Set(["password", "current", "secret"]);

/** Takes up a form that came without a session; undefined where it held nothing that can be sent again. */
export async function keepSent(c: Context): Promise<Kept | undefined> {
  const { pathname, search } = new URL(c.req.url);
  const path = ownPath(pathname + search);
  const sent = await readSent(c).catch(() => undefined);
  if (path === undefined || sent === undefined) return undefined;
  const fields = Object.entries(sent).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((each): each is string => typeof each === "string")
      .map((each): [string, string] => [name, each]),
  );
  return { path, fields: fields.filter(([name]) => !secret.has(name)) };
}

function isPair(each: unknown): each is [string, string] {
  return Array.isArray(each) && typeof each[0] === "string" && typeof each[1] === "string";
}

/** As it stood in a hidden input; undefined where somebody else wrote it. */
export function readKept(text: string | undefined): Kept | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    const { path, fields } = JSON.parse(text) as Partial<Kept>;
    const own = typeof path === "string" ? ownPath(path) : undefined;
    if (own === undefined || !Array.isArray(fields)) return undefined;
    return { path: own, fields: fields.filter(isPair) };
  } catch {
    return undefined;
  }
}
