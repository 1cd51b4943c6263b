import { may, type Ability } from "../../domain/credential/roles";
import type { Frame } from "./frame";
import { ThemeSwitch } from "./theme-switch";

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
