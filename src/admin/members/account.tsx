import * as z from "zod/mini";
import { problem } from "#domain/problem/problem.ts";
import { Action } from "#html/action-button.tsx";
import { Input, Select } from "#html/inputs.tsx";
import { DescriptionList } from "#html/parts.tsx";
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
            name="Sign out everywhere else"
            quiet
          />
        }
      >
        <DescriptionList
          facts={[
            ["E-mail", email],
            ["Role", role],
            ["Signed in", sessions === 1 ? "here only" : `in ${sessions} places`],
          ]}
        />
        <form method="post" action="/admin/account/zone" id="zone">
          <h2>Dates and times</h2>
          <Select
            name="zone"
            label={labels.zone}
            hint="All times in the administration area are shown in it, on this browser."
            value={zone ?? ""}
            options={[
              {
                value: "",
                label: `As in this browser (${frame.viewer.zone.replaceAll("_", " ")})`,
              },
              ...timeZoneNames().map((value) => ({ value, label: value.replaceAll("_", " ") })),
            ]}
          />
          <button type="submit" class="quiet">
            Use this zone
          </button>
        </form>
        <form method="post" action="/admin/account/password">
          <h2>Change your password</h2>
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
            hint="At least 12 characters. All other sessions end."
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
    return { to: "/admin/account", flash: "Signed out everywhere else.", document: null };
  },
});

const chooseZone = accountPage.form({
  fields: Preferences,
  async act({ c }, { zone }) {
    setPreferences(c, { zone: zone ?? "" });
    const flash = zone ? `Times are shown in ${zone}.` : "Times are shown as in your browser.";
    return { to: "/admin/account", flash, document: { zone: zone ?? null } };
  },
});

const choosePassword = accountPage.form({
  fields: PasswordChange,
  async act({ c, ctx }, { current, password }) {
    await limitAttempts(c, `password ${ctx.member.id}`);
    if (!(await verifyPassword(current, ctx.member.password))) {
      throw problem.invalidInput([
        errorAt(["current"], "invalid_format", "This is not your password."),
      ]);
    }
    await changePassword(ctx, c.var.session, password);
    const flash = "Your password is changed. You are signed out everywhere else.";
    return { to: "/admin/account", flash, document: null };
  },
});

/** The routes of a member's own account. */
export const accountRoutes = new Hono<AdminEnv>()
  .get("/", accountPage.show)
  .post("/sign-out-everywhere", signOutEverywhere)
  .post("/zone", chooseZone)
  .post("/password", choosePassword);
