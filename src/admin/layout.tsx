import type { Context } from "hono";
import { type Role, roleAllows, type Ability } from "#domain/credential/permissions.ts";
import type { AdminEnv } from "#http/env.ts";
import { type Theme, Page } from "#html/page.tsx";
import { languages } from "#domain/language.ts";
import {
  type Catalogue,
  languageNames,
  type Localization,
  Localized,
  useText,
} from "./language/index.tsx";
import { localize, readTheme, takeFlash, type Flash } from "./preferences.ts";
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";
import { Breadcrumbs } from "#html/parts.tsx";
import { Action } from "#html/action-button.tsx";
import { ErrorSummary, FormErrors } from "#html/form-errors.tsx";
import { explainErrors } from "#admin/explain-problem.ts";

/** The context of every page: the member, the path, the preferences and the last confirmation. */
export interface PageContext extends Localization {
  member: { id: string; email: string; name: string; role: Role };
  /** The path of this page with its query. */
  path: string;
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
    ...localize(c),
    theme: readTheme(c),
    flash: takeFlash(c),
  };
}

/** Buttons that choose a preference. They work without scripts. */
function Switch({
  name,
  label,
  options,
  chosen,
  back,
}: {
  name: "theme" | "language";
  label: string;
  options: readonly (readonly [value: string, name: string])[];
  chosen: string;
  back: string;
}) {
  return (
    <form method="post" action="/admin/preferences" class="switch" aria-label={label}>
      <input type="hidden" name="back" value={back} />
      {options.map(([value, text]) => (
        <button
          type="submit"
          name={name}
          value={value}
          lang={name === "language" ? value : undefined}
          aria-pressed={chosen === value ? "true" : "false"}
        >
          {text}
        </button>
      ))}
    </form>
  );
}

const themes = ["system", "light", "dark"] as const;

type FrameText = Catalogue["frame"];

type NavigationLink = [path: string, page: keyof FrameText["pages"], ability: Ability];

const navigation: [group: keyof FrameText["navigation"], links: NavigationLink[]][] = [
  [
    "data",
    [
      ["/admin", "overview", "see"],
      ["/admin/forms", "forms", "see"],
      ["/admin/apps", "apps", "see"],
    ],
  ],
  [
    "connect",
    [
      ["/admin/integrations", "integrations", "see"],
      ["/admin/webhooks", "webhooks", "webhooks"],
      ["/docs", "reference", "see"],
      ["/docs/contents", "guides", "see"],
    ],
  ],
  [
    "manage",
    [
      ["/admin/members", "members", "members"],
      ["/admin/audit", "audit", "audit"],
      ["/admin/people", "people", "erase"],
      ["/admin/settings", "settings", "members"],
      ["/admin/account", "account", "see"],
    ],
  ],
];

/** Whether the link leads to this page, or to a page above it. */
function isPageOf(pathname: string, href: string): boolean {
  if (href === "/admin") return pathname === href || pathname === "/admin/";
  if (href === "/docs") return pathname === href;
  return pathname.startsWith(href === "/docs/contents" ? "/docs/" : href);
}

function Navigation({ member, path }: PageContext) {
  const text = useText().frame;
  const names = { ...text.pages, ...text.shortNames };
  const [pathname = ""] = path.split("?");
  const isCurrent = (href: string) => isPageOf(pathname, href);
  return (
    <nav aria-label={text.administration}>
      {navigation.map(([group, links]) => {
        const visibleLinks = links.filter(([, , ability]) => roleAllows(member.role, ability));
        return (
          <>
            <h2 id={`nav-${group}`}>{text.navigation[group]}</h2>
            <ul aria-labelledby={`nav-${group}`}>
              {visibleLinks.map(([href, page]) => (
                <li>
                  <a href={href} aria-current={isCurrent(href) ? "page" : undefined}>
                    {names[page]}
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

/** The search field of the frame. It sends the open app or form, so that the search includes its items. */
function SearchField({ path }: PageContext) {
  const text = useText().frame;
  const open = /^\/admin\/((?:app|form)s\/[\w-]+)/.exec(path)?.[1];
  return (
    <form
      method="get"
      action="/admin/search"
      role="search"
      aria-label={text.searchForm}
      class="everything"
    >
      {open ? <input type="hidden" name="in" value={open} /> : null}
      <input
        type="search"
        name="q"
        aria-label={text.search}
        placeholder={text.search}
        maxlength={300}
        autocomplete="off"
      />
    </form>
  );
}

/** The navigation, the search and the preferences at the side of every page. */
export function Sidebar(frame: PageContext) {
  const { member, path, viewer, theme } = frame;
  const text = useText().frame;
  return (
    <header class="side" lang={viewer.language}>
      <a class="mark" href="/admin">
        <img src="/assets/icon.svg" alt="" width="20" height="20" />
        <span>Edge Forms</span>
      </a>
      <SearchField {...frame} />
      <button type="button" class="quiet open-menu" popovertarget="menu">
        {text.menu}
      </button>
      <div class="menu" id="menu" popover="auto">
        <Navigation {...frame} />
        <div class="foot">
          <a href="/admin/account">{member.name || member.email}</a>
          <a href="/admin/account#zone">{viewer.zone.replaceAll("_", " ")}</a>
          <Switch
            name="theme"
            label={text.theme}
            options={themes.map((each) => [each, text.themes[each]])}
            chosen={theme}
            back={path}
          />
          <Switch
            name="language"
            label={text.language}
            options={languages.map((each) => [each, languageNames[each]])}
            chosen={viewer.language}
            back={path}
          />
          <form method="post" action="/admin/sign-out">
            <button type="submit" class="plain">
              {text.signOut}
            </button>
          </form>
        </div>
      </div>
    </header>
  );
}

/** The result of the last action, with a link to the created object and a button that reverts the action. */
function FlashMessage({ text, isPartial, undo, link, linkName }: Flash) {
  const frameText = useText().frame;
  const message = (
    <p role="status" class={isPartial ? "said notice warn" : "said"}>
      {text}
    </p>
  );
  if (!undo && !link) return message;
  return (
    <div class="flash">
      {message}
      {link ? (
        <a class="button quiet little" href={link}>
          {linkName ?? frameText.view}
        </a>
      ) : null}
      {undo ? (
        <Action action={undo.action} name={frameText.undo} values={undo.values} quiet little />
      ) : null}
    </div>
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
  /** A title that says which action failed. By default, it says that nothing was saved. */
  problemTitle?: string | undefined;
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
  problemTitle,
  labels = {},
  children,
  ...page
}: PropsWithChildren<AdminPageProps & { frame: PageContext }>) {
  const explained = problem && explainErrors(problem, frame.text);
  return (
    <Localized {...frame}>
      <Page
        {...page}
        theme={frame.theme}
        sidebar={<Sidebar {...frame} />}
        breadcrumbs={crumbs ? <Breadcrumbs to={crumbs} /> : null}
      >
        {frame.flash === undefined ? null : <FlashMessage {...frame.flash} />}
        {explained ? (
          <ErrorSummary
            problem={explained}
            detail={frame.text.problems.detail(explained)}
            title={problemTitle}
            labels={labels}
          />
        ) : null}
        <FormErrors problem={explained}>{children}</FormErrors>
      </Page>
    </Localized>
  );
}
