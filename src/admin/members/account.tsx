import * as z from "zod/mini";
import { problem } from "#domain/problem/problem.ts";
import { Action } from "#html/action-button.tsx";
import { Input, Select } from "#html/inputs.tsx";
import { Badge, DescriptionList, Table } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { usesAccess } from "#admin/sign-in/access.ts";
import { textOf } from "#admin/form-input.ts";
import { formatTimestamp } from "#domain/time.ts";
import type { SessionSummary } from "#store/home/sessions.ts";
import { AdminPage } from "#admin/layout.tsx";
import { Hono } from "hono";
import {
  changePassword,
  changeName,
  endSession,
  endSessions,
  listSessions,
  memberNameSchema,
  sessionIdOf,
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

const labels = {
  name: "Name",
  current: "Current password",
  password: "New password",
  zone: "Time zone",
};

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

const NameInput = lazy(() => z.strictObject({ name: memberNameSchema() }));

const accountPage = page({
  load: async ({ c, ctx }) => ({
    sessions: usesAccess(c.env) ? [] : await listSessions(ctx),
    hash: c.var.session,
    hasPassword: !usesAccess(c.env),
    zone: readChosenZone(c),
  }),
  document({ sessions, hash }, { ctx }) {
    const { email, name, role } = ctx.member;
    const granted = (Object.keys(abilities) as Ability[]).filter((each) => roleAllows(role, each));
    const sessionDocument = (session: SessionSummary) => ({
      id: sessionIdOf(session.hash),
      device: session.device,
      created_at: formatTimestamp(session.createdAt),
      last_seen_at: formatTimestamp(session.seenAt),
      current: session.hash === hash,
    });
    return { email, name, role, abilities: granted, sessions: sessions.map(sessionDocument) };
  },
  render(frame, { sessions, hash, hasPassword, zone }, attempt) {
    const { email, name, role } = frame.member;
    return (
      <AdminPage frame={frame} title="Your account" problem={attempt?.problem} labels={labels}>
        <DescriptionList
          facts={[
            ["Email", email],
            ["Role", role],
          ]}
        />
        <form method="post" action="/admin/account/name">
          <Input
            name="name"
            label={labels.name}
            hint="Shown to your colleagues instead of your email address."
            value={attempt && "name" in attempt.values ? textOf(attempt.values["name"]) : name}
            maxlength={100}
            autocomplete="name"
          />
          <button type="submit" class="quiet">
            Save name
          </button>
        </form>
        <ZoneForm zone={zone} found={frame.viewer.zone} />
        {hasPassword ? (
          <>
            <PasswordForm email={email} />
            <SessionsTable {...{ sessions, hash }} />
          </>
        ) : null}
      </AdminPage>
    );
  },
});

function ZoneForm({ zone, found }: { zone: string | undefined; found: string }) {
  return (
    <form method="post" action="/admin/account/zone" id="zone">
      <h2>Time zone</h2>
      <Select
        name="zone"
        label={labels.zone}
        hint="Used for all dates and times in this browser."
        value={zone ?? ""}
        options={[
          { value: "", label: `Browser time zone (${found.replaceAll("_", " ")})` },
          ...timeZoneNames().map((value) => ({ value, label: value.replaceAll("_", " ") })),
        ]}
      />
      <button type="submit" class="quiet">
        {" "}
        Save time zone{" "}
      </button>
    </form>
  );
}

function PasswordForm({ email }: { email: string }) {
  return (
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
  );
}

/** The sessions of the member, each with a button that ends it. */
function SessionsTable({ sessions, hash }: { sessions: readonly SessionSummary[]; hash: string }) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <Table caption="Sessions" columns={["Device", "Last seen", "Signed in", "Actions"]}>
        {sessions.map((session) => (
          <tr>
            <th scope="row">
              {session.device || "Unknown device"}{" "}
              {session.hash === hash ? <Badge tone="accent">this session</Badge> : null}
            </th>
            <td data-label="Last seen">
              <Time at={session.seenAt} as="distance" />
            </td>
            <td data-label="Signed in">
              <Time at={session.createdAt} />
            </td>
            <td>
              {session.hash === hash ? null : (
                <Action
                  action={`/admin/account/sessions/${sessionIdOf(session.hash)}/end`}
                  name="Sign out"
                  quiet
                  little
                />
              )}
            </td>
          </tr>
        ))}
      </Table>
      <Action action="/admin/account/sign-out-everywhere" name="Sign out other sessions" quiet />
    </section>
  );
}

const endOne = action({
  async act({ ctx, param }) {
    await endSession(ctx, param("session"));
    return { to: "/admin/account", flash: "Session signed out", document: null };
  },
});

const chooseName = accountPage.form({
  fields: NameInput,
  async act({ ctx }, { name }) {
    await changeName(ctx, name);
    return { to: "/admin/account", flash: "Name saved", document: { name } };
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
export const accountRoutes = new Hono<AdminEnv>()
  .get("/", accountPage.show)
  .post("/name", chooseName)
  .post("/sessions/:session/end", endOne)
  .post("/sign-out-everywhere", signOutEverywhere)
  .post("/zone", chooseZone)
  .post("/password", choosePassword);
