import type { PropsWithChildren, Child } from "hono/jsx";

export type Tone = "good" | "warn" | "bad" | "accent" | "quiet";

/** A state, in a word and a colour. */
export function Badge({ tone = "quiet", children }: PropsWithChildren<{ tone?: Tone }>) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Text to take away, with a button that copies it where scripts run. */
export function Copyable({ id, text }: { id: string; text: string }) {
  return (
    <div class="copyable">
      <pre tabindex={0}>
        <code id={id}>{text}</code>
      </pre>
      <button type="button" class="quiet little" data-copy={id} hidden>
        Copy
      </button>
    </div>
  );
}

/** The way to where this page hangs. */
export function Crumbs({ to }: { to: readonly (readonly [name: string, href: string])[] }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumbs">
      <ol>
        {to.map(([name, href]) => (
          <li>
            <a href={href}>{name}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Where there is nothing yet: what would stand here, and how it comes. */
export function Empty({ children }: PropsWithChildren) {
  return <div class="empty">{children}</div>;
}

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

/** An id that is shown short and copied whole. */
export function Id({ of, shown }: { of: string; shown?: string }) {
  return (
    <code class="id" title={of} data-copy-text={of}>
      {shown ?? (of.length > 12 ? `…${of.slice(-8)}` : of)}
    </code>
  );
}

/** Whose page this is, for those who see no side bar. */
export function Mark() {
  return (
    <p class="mark">
      <img src="/assets/icon.svg" alt="" width="20" height="20" />
      Edge Forms
    </p>
  );
}

/** The way to what comes next, where there is more. */
export function Next({ href, name }: { href: string | null; name: string }) {
  return href === null ? null : (
    <p>
      <a class="button quiet" href={href} rel="next">
        {name}
      </a>
    </p>
  );
}

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

/** Views of one thing. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly (readonly [name: string, href: string])[];
  /** The name of the one that is shown. */
  current: string;
}) {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(([name, href]) => (
          <li>
            <a href={href} aria-current={name === current ? "page" : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
