import type { PropsWithChildren } from "hono/jsx";

/** Where there is nothing yet: what would stand here, and how it comes. */
export function Empty({ children }: PropsWithChildren) {
  return <div class="empty">{children}</div>;
}
