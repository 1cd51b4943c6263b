import type { Problem } from "../../domain/problem/problem";
import { Page } from "../../html/page";
import { Summary } from "../../html/wrong";

function Password({ label, create, hint }: { label: string; create?: boolean; hint?: string }) {
  return (
    <label>
      {label}
      {hint ? <small>{hint}</small> : null}
      <input
        type="password"
        name="password"
        required
        minlength={create ? 12 : undefined}
        autocomplete={create ? "new-password" : "current-password"}
      />
    </label>
  );
}

function Email({ value }: { value?: string | undefined }) {
  return (
    <label>
      E-mail
      <input type="email" name="email" value={value} autocomplete="username" required />
    </label>
  );
}

export function SignInPage({ failed, email }: { failed?: boolean; email?: string }) {
  return (
    <Page title="Sign in">
      {failed ? <p role="alert">The e-mail address or the password is wrong.</p> : null}
      <form method="post" action="/admin/sign-in" class="narrow">
        <Email value={email} />
        <Password label="Password" />
        <button type="submit">Sign in</button>
      </form>
    </Page>
  );
}

const atLeast = "At least 12 characters.";

export function SetUpPage({ problem }: { problem?: Problem }) {
  return (
    <Page title="Make the first owner">
      {problem ? <Summary problem={problem} /> : null}
      <form method="post" action="/admin/setup" class="narrow">
        <label>
          Set-up secret
          <small>The secret SETUP_SECRET of the deployment. It works once.</small>
          <input type="password" name="secret" required autocomplete="off" />
        </label>
        <Email />
        <Password label="Password" create hint={atLeast} />
        <button type="submit">Make the owner</button>
      </form>
    </Page>
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
    <Page title="Welcome">
      {problem ? <Summary problem={problem} /> : null}
      <p>
        You are invited as {email}, with the role {role}. Choose a password to sign in with.
      </p>
      <form method="post" class="narrow">
        <Password label="Password" create hint={atLeast} />
        <button type="submit">Join</button>
      </form>
    </Page>
  );
}
