import type { Child } from "hono/jsx";
import { Badge, type Tone } from "../../html/parts/badge";

export function Entry({
  tone,
  state,
  act: [name, href],
  children,
}: {
  tone: Tone;
  state: string;
  /** The way to what mends it. */
  act: readonly [name: string, href: string];
  children?: Child;
}) {
  return (
    <li>
      <Badge tone={tone}>{state}</Badge>
      <span>{children}</span>
      <a class="button quiet little" href={href}>
        {name}
      </a>
    </li>
  );
}
