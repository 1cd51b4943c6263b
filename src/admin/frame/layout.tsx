import type { Child, PropsWithChildren } from "hono/jsx";
import { may, type Ability } from "../../domain/credential/permissions";
import type { Problem } from "../../domain/problem/problem";
import { Crumbs } from "../../html/parts/crumbs";
import { Page } from "../../html/page";
import { ReaderContext } from "../../html/reader";
import { Summary } from "../../html/form/summary";
import { WithWrong } from "../../html/form/wrong";
import type { Frame } from "./frame";

const places: [path: string, name: string, ability: Ability][] = [
  ["/admin", "Overview", "see"],
  ["/admin/forms", "Forms", "see"],
  ["/admin/apps", "Apps", "see"],
  ["/admin/integrations", "Integrations", "see"],
  ["/admin/webhooks", "Webhooks", "webhooks"],
  ["/admin/members", "Members", "members"],
  ["/admin/audit", "Audit", "audit"],
];

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

function Side({ member, path, reader, theme }: Frame) {
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

const themes = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

function ThemeSwitch({ theme, back }: { theme: string; back: string }) {
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
