import type { Context } from "hono";
import { type Role, roleAllows, type Ability } from "#domain/credential/permissions.ts";
import type { AdminEnv } from "#http/env.ts";
import { type Theme, Page } from "#html/page.tsx";
import { type Viewer, ViewerContext } from "#html/viewer.tsx";
import { viewerOf, readTheme, takeFlash, type Flash } from "./preferences.ts";
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";
import { Breadcrumbs } from "#html/parts.tsx";
import { ErrorSummary, FormErrors } from "#html/form-errors.tsx";

/** The context of every page: the member, the path, the preferences and the last confirmation. */
export interface PageContext {
  member: { id: string; email: string; name: string; role: Role };
  /** The path of this page, with its query. */
  path: string;
  viewer: Viewer;
  theme: Theme;
  flash: Flash | undefined;
}

/** Creates the context of a page that is rendered now. Also consumes the flash message. */
export function pageContext(c: Context<AdminEnv>): PageContext {
  const { id, email, name, role } = c.var.member;
  const { pathname, search } = new URL(c.req.url);
  return {
    member: { id, email, name, role },
    path: pathname + search,
    viewer: viewerOf(c),
    theme: readTheme(c),
    flash: takeFlash(c),
  };
}

const themeOptions = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

function ThemeSwitch({ theme, back }: { theme: string; back: string }) {
  return (
    <form method="post" action="/admin/preferences" class="switch" aria-label="Theme">
      <input type="hidden" name="back" value={back} />
      {themeOptions.map(([value, name]) => (
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

type NavigationLink = [path: string, name: string, ability: Ability];

const navigation: [title: string, links: NavigationLink[]][] = [
  [
    "Data",
    [
      ["/admin", "Overview", "see"],
      ["/admin/forms", "Forms", "see"],
      ["/admin/apps", "Apps", "see"],
    ],
  ],
  [
    "Connect",
    [
      ["/admin/integrations", "Integrations", "see"],
      ["/admin/webhooks", "Webhooks", "webhooks"],
      ["/docs", "API reference", "see"],
      ["/docs/contents", "Guides", "see"],
    ],
  ],
  [
    "Manage",
    [
      ["/admin/members", "Members", "members"],
      ["/admin/audit", "Audit", "audit"],
      ["/admin/settings/databases", "Settings", "databases"],
      ["/admin/account", "Your account", "see"],
    ],
  ],
];

function Navigation({ member, path }: PageContext) {
  const [pathname = ""] = path.split("?");
  const isCurrent = (href: string) =>
    href === "/admin" ? pathname === href || pathname === "/admin/" : pathname.startsWith(href);
  return (
    <nav aria-label="Administration">
      {navigation.map(([title, links]) => {
        const visibleLinks = links.filter(([, , ability]) => roleAllows(member.role, ability));
        return (
          <>
            <h2 id={`nav-${title}`}>{title}</h2>
            <ul aria-labelledby={`nav-${title}`}>
              {visibleLinks.map(([href, name]) => (
                <li>
                  <a href={href} aria-current={isCurrent(href) ? "page" : undefined}>
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </>
        );
      })}
    </nav>
  );
}

/** The search field of the frame. It remembers the open app or form, whose items can be searched too. */
function SearchField({ path }: PageContext) {
  const open = /^\/admin\/((?:app|form)s\/[\w-]+)/.exec(path)?.[1];
  return (
    <form
      method="get"
      action="/admin/search"
      role="search"
      aria-label="Everything"
      class="everything"
    >
      {open ? <input type="hidden" name="in" value={open} /> : null}
      <input
        type="search"
        name="q"
        aria-label="Find anything"
        placeholder="Find anything"
        maxlength={300}
        autocomplete="off"
      />
    </form>
  );
}

function Sidebar(frame: PageContext) {
  const { member, path, viewer, theme } = frame;
  return (
    <header class="side">
      <a class="mark" href="/admin">
        <img src="/assets/icon.svg" alt="" width="20" height="20" />
        <span>Edge Forms</span>
      </a>
      <SearchField {...frame} />
      <button type="button" class="quiet open-menu" popovertarget="menu">
        Menu
      </button>
      <div class="menu" id="menu" popover="auto">
        <Navigation {...frame} />
        <div class="foot">
          <a href="/admin/account">{member.name || member.email}</a>
          <a href="/admin/account#zone">{viewer.zone.replaceAll("_", " ")}</a>
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

interface AdminPageProps {
  title: string;
  /** Names and addresses of the parent pages, outermost first. */
  crumbs?: readonly (readonly [name: string, href: string])[];
  /** State badges next to the title. */
  badges?: Child;
  /** Actions to the right of the title. */
  actions?: Child;
  /** The problem of the submitted form. Inputs find their field errors by name. */
  problem?: Problem | undefined;
  /** The labels of the page's inputs by name, for the links of the error summary. */
  labels?: Record<string, string>;
  scripts?: readonly string[];
  styles?: readonly string[];
}

/** A page of the administration with navigation, flash message and error summary. */
export function AdminPage({
  frame,
  crumbs,
  problem,
  labels = {},
  children,
  ...page
}: PropsWithChildren<AdminPageProps & { frame: PageContext }>) {
  return (
    <ViewerContext.Provider value={frame.viewer}>
      <Page
        {...page}
        theme={frame.theme}
        sidebar={<Sidebar {...frame} />}
        breadcrumbs={crumbs ? <Breadcrumbs to={crumbs} /> : null}
      >
        {frame.flash === undefined ? null : (
          <p role="status" class={frame.flash.isPartial ? "said notice warn" : "said"}>
            {frame.flash.text}
          </p>
        )}
        {problem ? <ErrorSummary problem={problem} labels={labels} /> : null}
        <FormErrors problem={problem}>{children}</FormErrors>
      </Page>
    </ViewerContext.Provider>
  );
}
