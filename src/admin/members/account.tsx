import { Hono, type Context } from "hono";
import * as z from "zod/mini";
import { changePassword, endSessions } from "../../actions/members/members";
import { isPassword, newPassword } from "../../actions/members/password";
import { abilities, may, type Ability } from "../../domain/credential/roles";
import { problem, type Problem } from "../../domain/problem/problem";
import { errorAt } from "../../domain/problem/field-errors";
import type { AdminEnv } from "../../env";
import { countSessions } from "../../store/members/sessions";
import { answer, answerDone } from "../frame/answers";
import { attempted } from "../frame/attempted";
import { frameOf } from "../frame/frame";
import { readFields } from "../frame/negotiate";
import { chosenZone } from "../frame/reader-of";
import { keepPreferences, Preferences } from "../frame/preferences";
import { say } from "../frame/said";
import { limitAttempts } from "../sign-in/attempts";
import { AccountPage } from "./account-page";
import { memberContext } from "./context";

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
