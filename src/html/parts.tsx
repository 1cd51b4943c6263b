import type { PropsWithChildren, Child } from "hono/jsx";
import { partTexts } from "./language.ts";
import { useViewer } from "./viewer.tsx";

export type Tone = "good" | "warn" | "bad" | "accent" | "quiet";

/** A state as a coloured word. */
export function Badge({ tone = "quiet", children }: PropsWithChildren<{ tone?: Tone }>) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A text with a button that copies it. Without scripts, the button stays hidden. */
export function Copyable({ id, text }: { id: string; text: string }) {
  return (
    <div class="copyable">
      <pre tabindex={0}>
        <code id={id}>{text}</code>
      </pre>
      <button type="button" class="quiet little" data-copy={id} hidden>
        {partTexts(useViewer().language).copy}
      </button>
    </div>
  );
}

/** Links to the parent pages. */
export function Breadcrumbs({ to }: { to: readonly (readonly [name: string, href: string])[] }) {
  return (
    <nav class="crumbs" aria-label={partTexts(useViewer().language).breadcrumbs}>
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

/** Explains an empty list: its future content, and how to add the first entry. */
export function EmptyState({ children }: PropsWithChildren) {
  return <div class="empty">{children}</div>;
}

/** Names and values of one thing, in small boxes. */
export function DescriptionList({
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

/** A shortened id. Copying it copies the whole id. */
export function ShortId({ of, shown }: { of: string; shown?: string }) {
  return (
    <code class="id" title={of} data-copy-text={of}>
      {shown ?? (of.length > 12 ? `…${of.slice(-8)}` : of)}
    </code>
  );
}

/** The product's icon and name, for pages without a sidebar. */
export function BrandMark() {
  return (
    <p class="mark">
      <img src="/assets/icon.svg" alt="" width="20" height="20" />
      Edge Forms
    </p>
  );
}

/** A link to the next page, if there is one. */
export function NextLink({ href, name }: { href: string | null; name: string }) {
  return href === null ? null : (
    <p>
      <a class="button quiet" href={href} rel="next">
        {name}
      </a>
    </p>
  );
}

export interface TableColumn {
  name: Child;
  /** Whether to align the column to the right, like its cells (`class="number"`). */
  number?: boolean;
  /** The link of the heading, which sorts the table by this column. */
  href?: string;
  sorted?: "ascending" | "descending";
}

/**
 * A table. On a phone, each row becomes a card. Its first line contains the row heading and the cells of the classes
 * `state` and `end`. Cells of class `less` are hidden. Cells of class `full` and cells with `data-label`, which appears
 * before the value, get their own line.
 */
export function Table({
  caption,
  columns,
  children,
}: PropsWithChildren<{
  caption: string;
  columns: readonly (string | TableColumn)[];
}>) {
  return (
    <div class="scroll" role="region" aria-label={caption} tabindex={0}>
      <table class="stack">
        <thead>
          <tr>
            {columns.map((column) => (
              <ColumnHeader {...(typeof column === "string" ? { name: column } : column)} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function ColumnHeader({ name, number, href, sorted }: TableColumn) {
  return (
    <th scope="col" class={number ? "number" : undefined} aria-sort={sorted}>
      {href ? <a href={href}>{name}</a> : name}
      {sorted ? <span aria-hidden="true">{sorted === "ascending" ? " ↑" : " ↓"}</span> : null}
    </th>
  );
}

/** Content that phones show only when it is opened. Wide screens always show it, without a heading. */
export const Fold = ({
  name,
  open: isOpen = false,
  children,
}: PropsWithChildren<{ name: string; open?: boolean }>) => (
  <details class="fold" open={isOpen}>
    <summary>{name}</summary>
    {children}
  </details>
);

/** Links between the views of one subject. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly (readonly [name: string, href: string])[];
  /** The name of the current tab. */
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
