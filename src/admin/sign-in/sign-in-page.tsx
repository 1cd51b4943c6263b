import type { Problem } from "../../domain/problem/problem";
import type { Kept } from "./kept";
import { labels, Password, Email } from "./inputs";
import { Outside } from "./outside";

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
