import type { Context } from "hono";
import { type Role, may, type Ability } from "#domain/credential/permissions.ts";
import type { AdminEnv } from "#http/env.ts";
import { type Theme, Page } from "#html/page.tsx";
import { type Reader, ReaderContext } from "#html/viewer.tsx";
import { readerOf, themeOf, takeSaid } from "./preferences.ts";
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";
import { Crumbs } from "#html/parts.tsx";
import { Summary, WithWrong } from "#html/form-errors.tsx";

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

const themes = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

export function ThemeSwitch({ theme, back }: { theme: string; back: string }) {
  return (
    <form method="post" action="/admin/preferences" class="switch" aria-label="Theme">
      <input type="hidden" name="back" value={back} />
      {themes.map(([value, name]) => (
        <button
          type="submit"
          name="theme"
          value={value}
          aria-pressed={theme === value ? "true" : "false"}
        >
          {name}
        </button>
      ))}
    </form>
  );
}

const places: [path: string, name: string, ability: Ability][] = [
  ["/admin", "Overview", "see"],
  ["/admin/forms", "Forms", "see"],
  ["/admin/apps", "Apps", "see"],
  ["/admin/integrations", "Integrations", "see"],
  ["/admin/webhooks", "Webhooks", "webhooks"],
  ["/admin/members", "Members", "members"],
  ["/admin/audit", "Audit", "audit"],
];

export function Side({ member, path, reader, theme }: Frame) {
  const [here = ""] = path.split("?");
  const current = (place: string) =>
    place === "/admin" ? here === place || here === "/admin/" : here.startsWith(place);
  return (
    <header class="side">
      <a class="mark" href="/admin">
        <img src="/assets/icon.svg" alt="" width="20" height="20" />
        Edge Forms
      </a>
      <button type="button" class="quiet open-menu" popovertarget="menu">
        Menu
      </button>
      <div class="menu" id="menu" popover="auto">
        <nav aria-label="Administration">
          <ul>
            {places
              .filter(([, , ability]) => may(member.role, ability))
              .map(([place, name]) => (
                <li>
                  <a href={place} aria-current={current(place) ? "page" : undefined}>
                    {name}
                  </a>
                </li>
              ))}
            <li>
              <a href="/docs">API reference</a>
            </li>
            <li>
              <a href="/docs/contents">Guides</a>
            </li>
          </ul>
        </nav>
        <div class="foot">
          <a href="/admin/account">{member.email}</a>
          <a href="/admin/account#zone">{reader.zone.replaceAll("_", " ")}</a>
          <ThemeSwitch theme={theme} back={path} />
          <form method="post" action="/admin/sign-out">
            <button type="submit" class="plain">
              Sign out
            </button>
          </form>
        </div>
      </div>
    </header>
  );
}

interface Shown {
  title: string;
  /** Where this page hangs: names and addresses, from the outermost. */
  crumbs?: readonly (readonly [name: string, href: string])[];
  /** States, beside the title. */
  badges?: Child;
  /** What can be done, at the right of the title. */
  acts?: Child;
  /** What went wrong with what was sent; the inputs of the page find theirs by their names. */
  problem?: Problem | undefined;
  /** What people call the inputs of the page, by name: the summary of errors leads to them. */
  labels?: Record<string, string>;
  scripts?: readonly string[];
  styles?: readonly string[];
}

/** A page of the administration area, in its frame. */
export function AdminPage({
  frame,
  crumbs,
  problem,
  labels = {},
  children,
  ...page
}: PropsWithChildren<Shown & { frame: Frame }>) {
  return (
    <ReaderContext.Provider value={frame.reader}>
      <Page
        {...page}
        theme={frame.theme}
        side={<Side {...frame} />}
        crumbs={crumbs ? <Crumbs to={crumbs} /> : null}
      >
        {frame.said === undefined ? null : (
          <p role="status" class="said">
            {frame.said}
          </p>
        )}
        {problem ? <Summary problem={problem} labels={labels} /> : null}
        <WithWrong problem={problem}>{children}</WithWrong>
      </Page>
    </ReaderContext.Provider>
  );
}
