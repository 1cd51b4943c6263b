import * as z from "zod/mini";
import { type Problem, problem } from "#domain/problem/problem.ts";
import { Act } from "#html/action-button.tsx";
import { Input, Select } from "#html/inputs.tsx";
import { Facts } from "#html/parts.tsx";
import { type Frame, AdminPage, frameOf } from "#admin/layout.tsx";
import { Hono, type Context } from "hono";
import { changePassword, endSessions, isPassword, newPassword } from "#actions/members.ts";
import { abilities, may, type Ability } from "#domain/credential/permissions.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { AdminEnv } from "#http/env.ts";
import { countSessions } from "#store/home/sessions.ts";
import { answer, answerDone, attempted } from "#admin/page.ts";
import { readFields } from "#admin/form-input.ts";
import { chosenZone, keepPreferences, Preferences, say } from "#admin/preferences.ts";
import { limitAttempts } from "#admin/sign-in/session.ts";
import { memberContext } from "./members.tsx";

interface Shown {
  frame: Frame;
  sessions: number;
  /** The zone that was chosen; undefined where the browser's is taken. */
  zone: string | undefined;
  problem?: Problem;
}

const labels = { current: "Current password", password: "New password", zone: "Time zone" };

export function AccountPage({ frame, sessions, zone, problem }: Shown) {
  const { email, role } = frame.member;
  return (
    <AdminPage
      frame={frame}
      title="Your account"
      problem={problem}
      labels={labels}
      acts={
        <Act action="/admin/account/sign-out-everywhere" name="Sign out everywhere else" quiet />
      }
    >
      <Facts
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
            { value: "", label: `As in this browser (${frame.reader.zone.replaceAll("_", " ")})` },
            ...zones().map((value) => ({ value, label: value.replaceAll("_", " ") })),
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
}

const zones = () => ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

const Passwords = z.strictObject({
  current: z.string().check(z.maxLength(1000)),
  password: newPassword,
});

/** What a member can do with its own account. */
export const account = new Hono<AdminEnv>()
  .get("/", async (c) => {
    const { email, role } = c.var.member;
    const sessions = await sessionsOf(c);
    const can = (Object.keys(abilities) as Ability[]).filter((each) => may(role, each));
    return answer(c, { email, role, abilities: can, sessions }, () => page(c, sessions));
  })
  .post("/sign-out-everywhere", async (c) => {
    await endSessions(memberContext(c), c.var.session);
    say(c, "Signed out everywhere else.");
    return answerDone(c, null, "/admin/account");
  })
  .post("/zone", (c) =>
    attempted(
      c,
      async () => {
        const chosen = await readFields(c, Preferences);
        keepPreferences(c, { zone: chosen.zone ?? "" });
        say(
          c,
          chosen.zone
            ? `Times are shown in ${chosen.zone}.`
            : "Times are shown as in your browser.",
        );
        return answerDone(c, { zone: chosen.zone ?? null }, "/admin/account");
      },
      async (refusal) => page(c, await sessionsOf(c), refusal),
    ),
  )
  .post("/password", (c) =>
    attempted(
      c,
      async () => {
        const { current, password } = await readFields(c, Passwords);
        await limitAttempts(c, `password ${c.var.member.id}`);
        if (!(await isPassword(current, c.var.member.password))) {
          throw problem.invalidInput([
            errorAt(["current"], "invalid_format", "This is not your password."),
          ]);
        }
        await changePassword(memberContext(c), c.var.session, password);
        say(c, "Your password is changed. You are signed out everywhere else.");
        return answerDone(c, null, "/admin/account");
      },
      async (refusal) => page(c, await sessionsOf(c), refusal),
    ),
  );

const sessionsOf = (c: Context<AdminEnv>) => countSessions(c.env.DB, c.var.member.id, Date.now());

function page(c: Context<AdminEnv>, sessions: number, refusal?: Problem) {
  const shown = { frame: frameOf(c), sessions, zone: chosenZone(c) };
  return <AccountPage {...shown} {...(refusal ? { problem: refusal } : {})} />;
}
