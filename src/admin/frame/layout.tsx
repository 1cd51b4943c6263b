import type { Context } from "hono";
import type { Child, PropsWithChildren } from "hono/jsx";
import { may, type Ability } from "../../domain/credential/permissions";
import type { Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { FieldErrors } from "../../html/field-errors";
import { Page } from "../../html/page";

const places: [path: string, name: string, ability: Ability][] = [
  ["/admin", "Overview", "see"],
  ["/admin/forms", "Forms", "see"],
  ["/admin/apps", "Apps", "see"],
  ["/admin/integrations", "Integrations", "see"],
  ["/admin/members", "Members", "members"],
  ["/admin/audit", "Audit", "audit"],
];

interface Frame {
  c: Context<AdminEnv>;
  title: string;
  /** What went wrong with what was sent. */
  problem?: Problem | undefined;
}

/** A page of the administration area, with its navigation. */
export function AdminPage({ c, title, problem, children }: PropsWithChildren<Frame>) {
  const { role, email } = c.var.member;
  const here = new URL(c.req.url).pathname;
  const current = (path: string) =>
    path === "/admin" ? here === path || here === "/admin/" : here.startsWith(path);
  const header = (
    <header class="top">
      <div class="bar">
        <nav aria-label="Administration">
          <ul>
            {places
              .filter(([, , ability]) => may(role, ability))
              .map(([path, name]) => (
                <li>
                  <a href={path} aria-current={current(path) ? "page" : undefined}>
                    {name}
                  </a>
                </li>
              ))}
          </ul>
        </nav>
        <form method="post" action="/admin/sign-out">
          <a href="/admin/account">{email}</a>
          <button type="submit" class="quiet">
            Sign out
          </button>
        </form>
      </div>
    </header>
  );
  return (
    <Page title={title} header={header}>
      {problem ? <ProblemBox problem={problem} /> : null}
      {children}
    </Page>
  );
}

/** What was wrong, first thing on the page, with every field that was. */
export function ProblemBox({ problem }: { problem: Problem }) {
  return (
    <div role="alert">
      <p>{problem.detail}</p>
      <FieldErrors problem={problem} />
    </div>
  );
}

/** A table that scrolls by itself where the window is narrow. */
export function Table({
  caption,
  heads,
  children,
}: PropsWithChildren<{ caption: string; heads: readonly Child[] }>) {
  return (
    <div class="scroll" role="region" aria-label={caption} tabindex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th scope="col">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
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

/** A time as people read it; the exact one is in the element. */
export function Time({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}</time>;
}

/** A button that posts. */
export function Act({
  action,
  name,
  confirm,
  quiet,
  values = {},
}: {
  action: string;
  name: Child;
  confirm?: string;
  quiet?: boolean;
  values?: Record<string, string>;
}) {
  return (
    <form method="post" action={action} data-confirm={confirm}>
      {Object.entries(values).map(([key, value]) => (
        <input type="hidden" name={key} value={value} />
      ))}
      <button type="submit" class={confirm ? "danger" : quiet ? "quiet" : undefined}>
        {name}
      </button>
    </form>
  );
}

/** Text to take away, with a button that copies it where scripts run. */
export function Copyable({ id, text }: { id: string; text: string }) {
  return (
    <>
      <pre>
        <code id={id}>{text}</code>
      </pre>
      <p>
        <button type="button" data-copy={id} hidden>
          Copy
        </button>
      </p>
    </>
  );
}
