import * as z from "zod/mini";
import { Hono, type Context } from "hono";
import { openInvitation, joinMembers } from "#actions/invitations.ts";
import { newPassword, setUp, signIn, signOut } from "#actions/members.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import type { AppEnv } from "#http/env.ts";
import { callerAddress } from "#http/request.ts";
import { answerDone, attempted } from "#admin/page.ts";
import { ownPath, readFields, readSent, wantsJson, textOf } from "#admin/form-input.ts";
import { say } from "#admin/preferences.ts";
import { limitAttempts, readKept, dropSession, keepSession, sessionIdOf, signInContext } from "./session.ts";
import { GonePage, GoOnPage, JoinPage, SetUpPage, SignInPage } from "./pages.tsx";

const Account = z.object({
  email: z.email().check(z.maxLength(254)),
  password: z.string().check(z.minLength(1), z.maxLength(1000)),
  to: z.optional(z.string()),
  kept: z.optional(z.string()),
});
const Owner = z.object({
  email: Account.shape.email,
  password: newPassword,
  secret: z.string().check(z.minLength(1)),
});
const Join = z.object({ password: newPassword });

/** Sign-in, sign-out, the making of the first owner, and the links of those who are invited. */
export const signInRoutes = new Hono<AppEnv>()
  .get("/sign-in", (c) => c.html(<SignInPage to={ownPath(c.req.query("to"))} />))
  .post("/sign-in", (c) =>
    attempted(
      c,
      async () => {
        const { email, password, to, kept } = await readFields(c, Account);
        const before = sessionIdOf(c);
        // A session that somebody else put here is no use to them: signing in always makes a new one.
        if (before) await signOut(c.env.DB, before);
        const isIn = await startSession(c, email, password);
        if (wantsJson(c)) {
          if (isIn) return c.json({ signed_in: true });
          throw problem.unauthenticated(true);
        }
        const goOn = readKept(kept);
        if (!isIn) return c.html(<SignInPage failed email={email} to={to} kept={goOn} />, 401);
        if (goOn) return c.html(<GoOnPage kept={goOn} />);
        return c.redirect(ownPath(to) ?? "/admin", 303);
      },
      async (refusal) => {
        const { email, to, kept } = await readSent(c);
        return (
          <SignInPage
            problem={refusal}
            email={textOf(email)}
            to={ownPath(textOf(to))}
            kept={readKept(textOf(kept))}
          />
        );
      },
    ),
  )
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
      async (refusal) => (
        <SetUpPage problem={refusal} email={textOf((await readSent(c))["email"])} />
      ),
    ),
  )
  .get("/join/:secret", (c) =>
    invited(c, async ({ email, role }) =>
      wantsJson(c) ? c.json({ email, role }) : c.html(<JoinPage email={email} role={role} />),
    ),
  )
  .post("/join/:secret", (c) =>
    invited(c, ({ email, role }) =>
      attempted(
        c,
        async () => {
          const { password } = await readFields(c, Join);
          await joinMembers(signInContext(c), c.req.param("secret"), password);
          const isIn = !wantsJson(c) && (await startSession(c, email, password));
          say(c, `Welcome. You are signed in as ${email}.`);
          return answerDone(c, { joined: true }, isIn ? "/admin" : "/admin/sign-in", 201);
        },
        (refusal) => <JoinPage email={email} role={role} problem={refusal} />,
      ),
    ),
  );

/** False where the account or the password is wrong. */
async function startSession(c: Context<AppEnv>, email: string, password: string): Promise<boolean> {
  const session = await signIn(signInContext(c), email, password, callerAddress(c));
  if (session) keepSession(c, session.sessionId, session.maxAge);
  return session !== undefined;
}

/** Does this with an invitation; people whose link has ended are told so. */
async function invited(
  c: Context<AppEnv, "/join/:secret">,
  act: (invitation: { email: string; role: string }) => Promise<Response>,
): Promise<Response> {
  try {
    return await act(await openInvitation(signInContext(c), c.req.param("secret")));
  } catch (error) {
    const isGone = error instanceof Problem && error.code === "not_found";
    if (!isGone || wantsJson(c)) throw error;
    return c.html(<GonePage />, 404);
  }
}
