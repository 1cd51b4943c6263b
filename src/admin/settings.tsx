import { Hono } from "hono";
import { roleAllows, type Ability } from "#domain/credential/permissions.ts";
import type { AdminEnv } from "#http/env.ts";
import type { Catalogue } from "./language/index.tsx";
import { AdminPage } from "./layout.tsx";
import { page } from "./page.ts";

type Setting = keyof Catalogue["settings"]["links"];

/** The pages about the whole installation, and the ability that each needs. */
const settings: [name: Setting, href: string, ability: Ability][] = [
  ["databases", "/admin/settings/databases", "databases"],
  ["deleted", "/admin/deleted", "erase"],
  ["people", "/admin/people", "erase"],
  ["signIn", "/docs/administration#sign-in", "members"],
  ["account", "/admin/account", "see"],
];

const settingsPage = page({
  load: async ({ ctx }) => settings.filter(([, , ability]) => roleAllows(ctx.member.role, ability)),
  document: (shown) => ({ items: shown.map(([name, href]) => ({ name, href })) }),
  render(frame, shown) {
    const { links } = frame.text.settings;
    return (
      <AdminPage frame={frame} title={frame.text.frame.pages.settings}>
        <ul class="attention results long">
          {shown.map(([name, href]) => (
            <li>
              <span>
                <a href={href}>{links[name].name}</a>
              </span>
              <span class="muted">{links[name].about}</span>
            </li>
          ))}
        </ul>
      </AdminPage>
    );
  },
});

/** The pages about the whole installation. */
export const settingsRoutes = () => new Hono<AdminEnv>().get("/", settingsPage.show);
