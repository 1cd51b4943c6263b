import { Hono } from "hono";
import * as z from "zod/mini";
import { invitationOf, joinMembers } from "../../actions/members/members";
import { setUp, signIn, signOut } from "../../actions/members/sign-in";
import { problem } from "../../domain/problem/problem";
import type { AppEnv } from "../../env";
import { answerDone, attempted } from "../frame/answers";
import { readFields, wantsJson } from "../frame/negotiate";
import { addressOf } from "../../http/doors/address";
import { limitAttempts } from "./attempts";
import { dropSession, keepSession, sessionIdOf, signInContext } from "./session";
import { JoinPage, SetUpPage, SignInPage } from "./sign-in-page";

const Account = z.object({
  email: z.email().check(z.maxLength(254)),
  password: z.string().check(z.minLength(1), z.maxLength(1000)),
});
export const newPassword = z.string().check(z.minLength(12), z.maxLength(1000));
const Owner = z.extend(Account, {
  secret: z.string().check(z.minLength(1)),
  password: newPassword,
});
const Join = z.object({ password: newPassword });

/** Sign-in, sign-out, the making of the first owner, and the links of those who are invited. */
export const signInRoutes = new Hono<AppEnv>()
  .get("/sign-in", (c) => c.html(<SignInPage />))
  .post("/sign-in", async (c) => {
    const { email, password } = await readFields(c, Account);
    // A session that somebody else put here is no use to them: signing in always makes a new one.
    const before = sessionIdOf(c);
    if (before) await signOut(c.env.DB, before);
    const session = await signIn(signInContext(c), email, password, addressOf(c));
    if (session) keepSession(c, session.sessionId, session.maxAge);
    if (wantsJson(c)) {
      if (session) return c.json({ signed_in: true });
      throw problem.unauthenticated(true);
    }
    return session ? c.redirect("/admin", 303) : c.html(<SignInPage failed email={email} />, 401);
  })
  .post("/sign-out", async (c) => {
    const sessionId = sessionIdOf(c);
    if (sessionId) await signOut(c.env.DB, sessionId);
    dropSession(c);
    return answerDone(c, null, "/admin/sign-in");
  })
  .get("/setup", (c) => c.html(<SetUpPage />))
  .post("/setup", (c) =>
    attempted(
      c,
      async () => {
        const { secret, ...owner } = await readFields(c, Owner);
        await limitAttempts(c, "setup");
        const expected = c.env.SETUP_SECRET;
        const made = await setUp(signInContext(c), { sent: secret, expected }, owner);
        if (!made) throw problem.notFound();
        return answerDone(c, { set_up: true }, "/admin/sign-in", 201);
      },
      (refusal) => <SetUpPage problem={refusal} />,
    ),
  )
  .get("/join/:secret", async (c) => {
    const { email, role } = await invitationOf(signInContext(c), c.req.param("secret"));
    return wantsJson(c) ? c.json({ email, role }) : c.html(<JoinPage email={email} role={role} />);
  })
  .post("/join/:secret", async (c) => {
    const secret = c.req.param("secret");
    const { email, role } = await invitationOf(signInContext(c), secret);
    return attempted(
      c,
      async () => {
        const { password } = await readFields(c, Join);
        await joinMembers(signInContext(c), secret, password);
        return answerDone(c, { joined: true }, "/admin/sign-in", 201);
      },
      (refusal) => <JoinPage email={email} role={role} problem={refusal} />,
    );
  });
