import { Hono } from "hono";
import * as z from "zod";
import { setUp, signIn, signOut } from "../actions/sign-in";
import { problem } from "../domain/problem";
import type { AppEnv } from "../env";
import { Page } from "../html/page";
import { readFields, wantsJson } from "./negotiate";
import { dropSession, keepSession, sessionIdOf, signInContext } from "./session";

const Account = z.object({ email: z.email().max(254), password: z.string().min(1).max(1000) });
const Owner = Account.extend({ secret: z.string().min(1), password: z.string().min(12).max(1000) });

function SignInPage({ failed }: { failed?: boolean }) {
  return (
    <Page title="Sign in">
      {failed ? <p role="alert">The e-mail address or the password is wrong.</p> : null}
      <form method="post" action="/admin/sign-in">
        <label>
          E-mail <input type="email" name="email" autocomplete="username" required />
        </label>{" "}
        <label>
          Password{" "}
          <input type="password" name="password" autocomplete="current-password" required />
        </label>{" "}
        <button type="submit">Sign in</button>
      </form>
    </Page>
  );
}

/** Sign-in, sign-out, and the making of the first owner. */
export const signInRoutes = new Hono<AppEnv>()
  .get("/sign-in", (c) => c.html(<SignInPage />))
  .post("/sign-in", async (c) => {
    const { email, password } = await readFields(c, Account);
    const address = c.req.header("CF-Connecting-IP") ?? "unknown";
    for (const key of [address, email.toLowerCase()]) {
      const { success } = await c.env.SIGN_INS.limit({ key });
      if (!success) throw problem.rateLimited(60, "Too many attempts to sign in.");
    }
    const session = await signIn(signInContext(c), email, password);
    if (session) keepSession(c, session.sessionId, session.maxAge);
    if (wantsJson(c)) {
      if (session) return c.json({ signed_in: true });
      throw problem.unauthenticated(true);
    }
    return session ? c.redirect("/admin/integrations", 303) : c.html(<SignInPage failed />, 401);
  })
  .post("/sign-out", async (c) => {
    const sessionId = sessionIdOf(c);
    if (sessionId) await signOut(c.env.DB, sessionId);
    dropSession(c);
    return wantsJson(c) ? c.body(null, 204) : c.redirect("/admin/sign-in", 303);
  })
  .post("/setup", async (c) => {
    const { secret, ...owner } = await readFields(c, Owner);
    const { success } = await c.env.SIGN_INS.limit({ key: "setup" });
    if (!success) throw problem.rateLimited(60, "Too many attempts to set up.");
    const expected = c.env.SETUP_SECRET;
    if (!(await setUp(signInContext(c), { sent: secret, expected }, owner)))
      throw problem.notFound();
    return wantsJson(c) ? c.json({ set_up: true }, 201) : c.redirect("/admin/sign-in", 303);
  });
