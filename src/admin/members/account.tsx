import * as z from "zod/mini";
import { problem } from "#domain/problem/problem.ts";
import { Action } from "#html/action-button.tsx";
import { Input, Select } from "#html/inputs.tsx";
import { DescriptionList } from "#html/parts.tsx";
import { formatCount } from "#html/viewer.tsx";
import { AdminPage } from "#admin/layout.tsx";
import { Hono } from "hono";
import {
  changePassword,
  countSessions,
  endSessions,
  verifyPassword,
  passwordSchema,
} from "#actions/members.ts";
import { abilities, roleAllows, type Ability } from "#domain/credential/permissions.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { AdminEnv } from "#http/env.ts";
import { action, page } from "#admin/page.ts";
import { readChosenZone, setPreferences, Preferences } from "#admin/preferences.ts";
import { limitAttempts } from "#admin/sign-in/session.ts";
import { lazy } from "#domain/lazy.ts";

const labels = { current: "Current password", password: "New password", zone: "Time zone" };

const timeZoneNames = () => [
  "UTC",
  ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC"),
];

const PasswordChange = lazy(() =>
  z.strictObject({
    current: z.string().check(z.maxLength(1000)),
    password: passwordSchema(),
  }),
);

const accountPage = page({
  load: async ({ c, ctx }) => ({ sessions: await countSessions(ctx), zone: readChosenZone(c) }),
  document({ sessions }, { ctx }) {
    const { email, role } = ctx.member;
    const granted = (Object.keys(abilities) as Ability[]).filter((name) => roleAllows(role, name));
    return { email, role, abilities: granted, sessions };
  },
  render(frame, { sessions, zone }, attempt) {
    const { email, role } = frame.member;
    return (
      <AdminPage
        frame={frame}
        title="Your account"
        problem={attempt?.problem}
        labels={labels}
        actions={
          <Action
            action="/admin/account/sign-out-everywhere"
            name="Sign out other sessions"
            quiet
          />
        }
      >
        <DescriptionList
          facts={[
            ["Email", email],
            ["Role", role],
            ["Sessions", `${formatCount(sessions)} active`],
          ]}
        />
        <form method="post" action="/admin/account/zone" id="zone">
          <h2>Time zone</h2>
          <Select
            name="zone"
            label={labels.zone}
            hint="Used for all dates and times in this browser."
            value={zone ?? ""}
            options={[
              {
                value: "",
                label: `Browser time zone (${frame.viewer.zone.replaceAll("_", " ")})`,
              },
              ...timeZoneNames().map((value) => ({ value, label: value.replaceAll("_", " ") })),
            ]}
          />
          <button type="submit" class="quiet">
            {" "}
            Save time zone{" "}
          </button>
        </form>
        <form method="post" action="/admin/account/password">
          <h2>Password</h2>
          <input type="hidden" value={email} autocomplete="username" />
          <Input
            name="current"
            type="password"
            label={labels.current}
            autocomplete="current-password"
            required
          />
          <Input
            name="password"
            type="password"
            label={labels.password}
            hint="At least 12 characters. Changing it signs out your other sessions."
            autocomplete="new-password"
            minlength={12}
            required
          />
          <button type="submit">Change password</button>
        </form>
      </AdminPage>
    );
  },
});

const signOutEverywhere = action({
  async act({ c, ctx }) {
    await endSessions(ctx, c.var.session);
    return { to: "/admin/account", flash: "Other sessions signed out", document: null };
  },
});

const chooseZone = accountPage.form({
  fields: Preferences,
  async act({ c }, { zone }) {
    setPreferences(c, { zone: zone ?? "" });
    return { to: "/admin/account", flash: "Time zone saved", document: { zone: zone ?? null } };
  },
});

const choosePassword = accountPage.form({
  fields: PasswordChange,
  async act({ c, ctx }, { current, password }) {
    await limitAttempts(c, `password ${ctx.member.id}`);
    if (!(await verifyPassword(current, ctx.member.password))) {
      throw problem.invalidInput([errorAt(["current"], "invalid_format", "Incorrect password.")]);
    }
    await changePassword(ctx, c.var.session, password);
    const flash = "Password changed. Other sessions signed out.";
    return { to: "/admin/account", flash, document: null };
  },
});

/** The routes of a member's own account. */
export const accountRoutes = () =>
  new Hono<AdminEnv>()
    .get("/", accountPage.show)
    .post("/sign-out-everywhere", signOutEverywhere)
    .post("/zone", chooseZone)
    .post("/password", choosePassword);
