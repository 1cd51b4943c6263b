import type { Child } from "hono/jsx";

/** What is known of a thing, in small boxes. */
export function Facts({
  facts,
}: {
  facts: readonly (readonly [name: string, value: Child] | null)[];
}) {
  return (
    <dl class="facts">
      {facts
        .filter((fact) => fact !== null)
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
