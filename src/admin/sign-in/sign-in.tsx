import { requireTables } from "#http/set-up.ts";
import { Hono, type Context } from "hono";
import { getInvitation, joinAsMember } from "#actions/invitations.ts";
import { createFirstOwner, hasFirstOwner, signIn, signOut } from "#actions/members.ts";
import type { Role } from "#domain/credential/permissions.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import type { AppEnv } from "#http/env.ts";
import { submitForm, sendOutcome } from "#admin/page.ts";
import { adminPath, parseForm, readForm, wantsJson, textOf } from "#admin/form-input.ts";
import { localize, readTexts } from "#admin/preferences.ts";
import { usesAccess } from "./access.ts";
import { parseNewMember, parseOwner, ResetInput, SignInInput } from "./inputs.ts";
import {
  limitAttempts,
  readSavedForm,
  clearSessionCookie,
  setSessionCookie,
  findSignedSession,
  signInContext,
} from "./session.ts";
import {
  AccessPage,
  InvitationEndedPage,
  ResumeFormPage,
  JoinPage,
  ResetEndedPage,
  ResetPage,
  SetUpFinishedPage,
  SetUpPage,
  SignInPage,
} from "./pages.tsx";
import { getPasswordReset, resetPassword } from "#actions/password-resets.ts";

const sessionRoutes = () =>
  new Hono<AppEnv>()
    .get("/sign-in", requireTables, (c) =>
      c.html(
        usesAccess(c.env) ? (
          <AccessPage localization={localize(c)} />
        ) : (
          <SignInPage localization={localize(c)} to={adminPath(c.req.query("to"))} />
        ),
      ),
    )
    .post("/sign-in", (c) =>
      submitForm(
        c,
        async () => {
          const { email, password, to, kept } = await parseForm(c, SignInInput());
          if (usesAccess(c.env)) throw problem.signInFailed();
          const before = await findSignedSession(c);
          // Always creates a new session, which prevents session fixation.
          if (before) await signOut(c.env.databases.home, before);
          const isSignedIn = await startSession(c, email, password);
          if (wantsJson(c)) {
            if (isSignedIn) return c.json({ signed_in: true });
            throw problem.signInFailed();
          }
          const savedForm = readSavedForm(kept);
          if (!isSignedIn)
            return c.html(
              <SignInPage
                localization={localize(c)}
                hasFailed
                email={email}
                to={to}
                savedForm={savedForm}
              />,
              401,
            );
          if (savedForm)
            return c.html(<ResumeFormPage localization={localize(c)} savedForm={savedForm} />);
          return c.redirect(adminPath(to) ?? "/admin", 303);
        },
        async (error) => {
          const { email, to, kept } = await readForm(c);
          return (
            <SignInPage
              localization={localize(c)}
              problem={error}
              email={textOf(email)}
              to={adminPath(textOf(to))}
              savedForm={readSavedForm(textOf(kept))}
            />
          );
        },
      ),
    )
    .post("/sign-out", async (c) => {
      const sessionId = await findSignedSession(c);
      if (sessionId) await signOut(c.env.databases.home, sessionId);
      clearSessionCookie(c);
      return sendOutcome(c, { to: "/admin/sign-in", document: null });
    });

const setUpRoutes = () =>
  new Hono<AppEnv>()
    .get("/setup", requireTables, async (c) => {
      const localization = localize(c);
      if (!(await hasFirstOwner(c.env.databases.home)))
        return c.html(<SetUpPage localization={localization} hasAccess={usesAccess(c.env)} />);
      if (wantsJson(c))
        throw problem.notFound("An owner exists, so this page no longer works. Sign in instead.");
      return c.html(<SetUpFinishedPage localization={localization} />, 404);
    })
    .post("/setup", (c) =>
      submitForm(
        c,
        async () => {
          const { secret, name = "", ...owner } = await parseOwner(c);
          await limitAttempts(c, "setup");
          const expected = c.env.settings.setupSecret;
          const isCreated = await createFirstOwner(
            signInContext(c),
            { sent: secret, expected },
            { ...owner, name },
          );
          if (!isCreated) throw problem.notFound("The setup secret is wrong, or an owner exists.");
          const to = usesAccess(c.env) ? "/admin" : "/admin/sign-in";
          return { to, document: { set_up: true }, status: 201 };
        },
        async (error) => {
          const { email, name } = await readForm(c);
          const isRejected = error.code === "not_found";
          return (
            <SetUpPage
              localization={localize(c)}
              hasAccess={usesAccess(c.env)}
              {...(isRejected ? { isRejected } : { problem: error })}
              email={textOf(email)}
              name={textOf(name)}
            />
          );
        },
      ),
    );

const linkRoutes = () =>
  new Hono<AppEnv>()
    .get("/join/:secret", (c) =>
      withInvitation(c, async ({ email, role }) =>
        wantsJson(c)
          ? c.json({ email, role })
          : c.html(
              <JoinPage
                localization={localize(c)}
                hasAccess={usesAccess(c.env)}
                {...{ email, role }}
              />,
            ),
      ),
    )
    .post("/join/:secret", (c) =>
      withInvitation(c, ({ email, role }) =>
        submitForm(
          c,
          async () => {
            const { password, name = "" } = await parseNewMember(c);
            await joinAsMember(signInContext(c), c.req.param("secret"), { password, name });
            const text = readTexts(c).signIn.join;
            const isSignedIn =
              password === undefined || (!wantsJson(c) && (await startSession(c, email, password)));
            return {
              to: isSignedIn ? "/admin" : "/admin/sign-in",
              flash: password === undefined ? text.doneWithAccess(email) : text.done(email),
              document: { joined: true },
              status: 201,
            };
          },
          async (error) => {
            const name = textOf((await readForm(c))["name"]);
            return (
              <JoinPage
                localization={localize(c)}
                hasAccess={usesAccess(c.env)}
                {...{ email, role, name }}
                problem={error}
              />
            );
          },
        ),
      ),
    )
    .get("/reset/:reset", (c) =>
      withReset(c, async ({ email }) =>
        wantsJson(c)
          ? c.json({ email })
          : c.html(<ResetPage localization={localize(c)} email={email} />),
      ),
    )
    .post("/reset/:reset", (c) =>
      withReset(c, ({ email }) =>
        submitForm(
          c,
          async () => {
            const { password } = await parseForm(c, ResetInput());
            await resetPassword(signInContext(c), c.req.param("reset"), password);
            const isSignedIn = !wantsJson(c) && (await startSession(c, email, password));
            return {
              to: isSignedIn ? "/admin" : "/admin/sign-in",
              flash: readTexts(c).signIn.reset.done,
              document: { reset: true },
            };
          },
          (error) => <ResetPage localization={localize(c)} email={email} problem={error} />,
        ),
      ),
    );

/** Routes for sign-in, sign-out, creating the first owner, and the links of invitations and password resets. */
export const signInRoutes = () =>
  new Hono<AppEnv>().route("/", sessionRoutes()).route("/", setUpRoutes()).route("/", linkRoutes());

/** Returns false when the account or the password is wrong. */
async function startSession(c: Context<AppEnv>, email: string, password: string): Promise<boolean> {
  const session = await signIn(signInContext(c), email, password);
  if (session) setSessionCookie(c, session.sessionId, session.maxAge);
  return session !== undefined;
}

/** Calls `handle` with the member of a password reset link. */
async function withReset(
  c: Context<AppEnv, "/reset/:reset">,
  handle: (reset: { email: string }) => Promise<Response>,
): Promise<Response> {
  try {
    return await handle(await getPasswordReset(signInContext(c), c.req.param("reset")));
  } catch (error) {
    const isGone = error instanceof Problem && error.code === "not_found";
    if (!isGone || wantsJson(c)) throw error;
    return c.html(<ResetEndedPage localization={localize(c)} />, 404);
  }
}

/** Calls `handle` with the invitation. Browsers with an expired link get a page that explains it. */
async function withInvitation(
  c: Context<AppEnv, "/join/:secret">,
  handle: (invitation: { email: string; role: Role }) => Promise<Response>,
): Promise<Response> {
  try {
    return await handle(await getInvitation(signInContext(c), c.req.param("secret")));
  } catch (error) {
    const isGone = error instanceof Problem && error.code === "not_found";
    if (!isGone || wantsJson(c)) throw error;
    return c.html(<InvitationEndedPage localization={localize(c)} />, 404);
  }
}
