import type { Child } from "hono/jsx";
import type { Context } from "hono";
import type { AdminEnv } from "#http/env.ts";
import { AdminPage, pageContext } from "./layout.tsx";

/** Returns a function that renders an error with the navigation of the area. Undefined without a signed-in member. */
export function findFrame(c: Context): ((title: string, content: Child) => Child) | undefined {
  if (c.get("member") === undefined) return undefined;
  const frame = pageContext(c as Context<AdminEnv>);
  return (title, content) => (
    <AdminPage frame={frame} title={title}>
      {content}
    </AdminPage>
  );
}
