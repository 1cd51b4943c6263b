import type { Child, PropsWithChildren } from "hono/jsx";

export interface Head {
  name: Child;
  /** Right-aligned, as its cells are (`class="number"`). */
  number?: boolean;
  /** Where its heading leads, to sort by it. */
  href?: string;
  sorted?: "ascending" | "descending";
}

/**
 * A table; on a phone each row is a card of two or three lines. There a cell of class `less` is left out, one of class
 * `full` has a line of its own, and `data-label` is written before a value that does not speak for itself.
 */
export function Table({
  caption,
  heads,
  children,
}: PropsWithChildren<{
  caption: string;
  heads: readonly (string | Head)[];
}>) {
  return (
    <div class="scroll" role="region" aria-label={caption} tabindex={0}>
      <table class="stack">
        <thead>
          <tr>
            {heads.map((head) => (
              <HeadCell {...(typeof head === "string" ? { name: head } : head)} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function HeadCell({ name, number, href, sorted }: Head) {
  return (
    <th scope="col" class={number ? "number" : undefined} aria-sort={sorted}>
      {href ? <a href={href}>{name}</a> : name}
      {sorted ? <span aria-hidden="true">{sorted === "ascending" ? " ↑" : " ↓"}</span> : null}
    </th>
  );
}
