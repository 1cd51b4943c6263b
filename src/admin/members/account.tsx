import { Hono, type Context } from "hono";
import * as z from "zod/mini";
import { changePassword, endSessions } from "../../actions/members/members";
import { isPassword } from "../../actions/members/password";
import { abilities, may, type Ability } from "../../domain/credential/permissions";
import { problem, type Problem } from "../../domain/problem/problem";
import { errorAt } from "../../domain/problem/field-errors";
import type { AdminEnv } from "../../env";
import { countSessions } from "../../store/members/sessions";
import { answer, answerDone, attempted } from "../frame/answers";
import { limitAttempts } from "../sign-in/attempts";
import { Act } from "../../html/act";
import { AdminPage } from "../frame/layout";
import { memberContext } from ".";
import { readFields } from "../frame/negotiate";
import { newPassword } from "../sign-in";

const Passwords = z.strictObject({
  current: z.string().check(z.maxLength(1000)),
  password: newPassword,
});

/** What a member can do with its own account. */
export const account = new Hono<AdminEnv>()
  .get("/", async (c) => {
    const { email, role, id } = c.var.member;
    const sessions = await countSessions(c.env.DB, id, Date.now());
    const can = (Object.keys(abilities) as Ability[]).filter((each) => may(role, each));
    return answer(c, { email, role, abilities: can, sessions }, () => (
      <AccountPage c={c} sessions={sessions} />
    ));
  })
  .post("/sign-out-everywhere", async (c) => {
    await endSessions(memberContext(c), c.var.session);
    return answerDone(c, null, "/admin/account");
  })
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
        return answerDone(c, null, "/admin/account");
      },
      (refusal) => <AccountPage c={c} sessions={1} problem={refusal} />,
    ),
  );

function AccountPage({
  c,
  sessions,
  problem: refusal,
}: {
  c: Context<AdminEnv>;
  sessions: number;
  problem?: Problem;
}) {
  const { email, role } = c.var.member;
  return (
    <AdminPage c={c} title="Your account" problem={refusal}>
      <dl class="facts">
        <dt>E-mail</dt>
        <dd>{email}</dd>
        <dt>Role</dt>
        <dd>{role}</dd>
        <dt>Signed in</dt>
        <dd>{sessions === 1 ? "here only" : `in ${sessions} places`}</dd>
      </dl>
      <Act action="/admin/account/sign-out-everywhere" name="Sign out everywhere else" quiet />
      <h2>Change your password</h2>
      <form method="post" action="/admin/account/password" class="narrow">
        <label>
          Current password
          <input type="password" name="current" autocomplete="current-password" required />
        </label>
        <label>
          New password
          <small>At least 12 characters. All other sessions end.</small>
          <input
            type="password"
            name="password"
            autocomplete="new-password"
            minlength={12}
            required
          />
        </label>
        <button type="submit">Change it</button>
      </form>
    </AdminPage>
  );
}
