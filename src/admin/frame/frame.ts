import type { Context } from "hono";
import type { Role } from "../../domain/credential/roles";
import type { AdminEnv } from "../../env";
import type { Theme } from "../../html/page";
import type { Reader } from "../../html/reader";
import { readerOf } from "./reader-of";
import { themeOf } from "./preferences";
import { takeSaid } from "./said";

/** What every page knows: who reads it, where, and what was done just before. */
export interface Frame {
  member: { id: string; email: string; role: Role };
  /** The path of this page, with its query. */
  path: string;
  reader: Reader;
  theme: Theme;
  said: string | undefined;
}

/** For a page that is drawn now: what the act before said is taken with it. */
export function frameOf(c: Context<AdminEnv>): Frame {
  const { id, email, role } = c.var.member;
  const { pathname, search } = new URL(c.req.url);
  return {
    member: { id, email, role },
    path: pathname + search,
    reader: readerOf(c),
    theme: themeOf(c),
    said: takeSaid(c),
  };
}
