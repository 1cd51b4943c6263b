import type { Child, PropsWithChildren } from "hono/jsx";
import { Input } from "#html/inputs.tsx";
import type { Problem } from "#domain/problem/problem.ts";
import { Page } from "#html/page.tsx";
import { Mark } from "#html/parts.tsx";
import { Summary, WithWrong } from "#html/form-errors.tsx";
import type { Kept } from "./session.ts";

export const labels = { email: "E-mail", password: "Password", secret: "Set-up secret" };

export function Password({
  label,
  create,
  hint,
}: {
  label: Child;
  create?: boolean;
  hint?: string;
}) {
  return (
    <Input
      name="password"
      type="password"
      label={label}
      hint={hint}
      required
      minlength={create ? 12 : undefined}
      autocomplete={create ? "new-password" : "current-password"}
    />
  );
}

export function Email({ value }: { value?: string | undefined }) {
  return (
    <Input
      name="email"
      type="email"
      label={labels.email}
      value={value}
      autocomplete="username"
      required
    />
  );
}

export const atLeast = "At least 12 characters.";

/** A page of somebody who is not signed in. */
export function Outside({
  title,
  problem,
  children,
}: PropsWithChildren<{ title: string; problem?: Problem | undefined }>) {
  return (
    <Page title={title} crumbs={<Mark />}>
      {problem ? <Summary problem={problem} labels={labels} /> : null}
      <WithWrong problem={problem}>{children}</WithWrong>
    </Page>
  );
}

/** What was written before the session ended, to be sent as it was. */
export function GoOnPage({ kept }: { kept: Kept }) {
  return (
    <Outside title="You are signed in again">
      <p>What you wrote before your session ended has not been saved yet.</p>
      <form method="post" action={kept.path}>
        {kept.fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <div class="actions">
          <button type="submit" autofocus>
            Save it now
          </button>
          <a class="button quiet" href="/admin">
            Leave it
          </a>
        </div>
      </form>
    </Outside>
  );
}

/** An invitation that leads nowhere, for somebody who followed it. */
export function GonePage() {
  return (
    <Outside title="This invitation has ended">
      <p>
        It was used already, was withdrawn, or is older than seven days. If you have joined, sign
        in; otherwise ask whoever invited you for another link.
      </p>
      <p>
        <a class="button" href="/admin/sign-in">
          Sign in
        </a>
      </p>
    </Outside>
  );
}

export function JoinPage({
  email,
  role,
  problem,
}: {
  email: string;
  role: string;
  problem?: Problem;
}) {
  return (
    <Outside title="Welcome" problem={problem}>
      <p>
        You are invited as <strong>{email}</strong>, with the role {role}. Choose a password, and
        you are signed in.
      </p>
      <form method="post" class="narrow">
        <input type="hidden" name="email" value={email} autocomplete="username" />
        <Password label={labels.password} create hint={atLeast} />
        <button type="submit">Join</button>
      </form>
    </Outside>
  );
}

export function SetUpPage({ problem, email }: { problem?: Problem; email?: string }) {
  return (
    <Outside title="Make the first owner" problem={problem}>
      <form method="post" action="/admin/setup" class="narrow">
        <Input
          name="secret"
          type="password"
          label={labels.secret}
          hint="The secret SETUP_SECRET of the deployment. It works once."
          required
          autocomplete="off"
        />
        <Email value={email} />
        <Password label={labels.password} create hint={atLeast} />
        <button type="submit">Make the owner</button>
      </form>
    </Outside>
  );
}

interface SignIn {
  failed?: boolean;
  email?: string | undefined;
  /** Where to go on. */
  to?: string | undefined;
  kept?: Kept | undefined;
  problem?: Problem;
}

export function SignInPage({ failed, email, to, kept, problem }: SignIn) {
  return (
    <Outside title="Sign in" problem={problem}>
      {failed ? <p role="alert">The e-mail address or the password is wrong.</p> : null}
      {kept && !failed ? (
        <p class="notice warn">
          Your session has ended. Sign in again: what you wrote is kept, and can be sent on.
        </p>
      ) : null}
      <form method="post" action="/admin/sign-in" class="narrow">
        {to ? <input type="hidden" name="to" value={to} /> : null}
        {kept ? <input type="hidden" name="kept" value={JSON.stringify(kept)} /> : null}
        <Email value={email} />
        <Password label={labels.password} />
        <button type="submit">Sign in</button>
      </form>
    </Outside>
  );
}

export const signInAgain = (kept: Kept | undefined) => <SignInPage kept={kept} />;
