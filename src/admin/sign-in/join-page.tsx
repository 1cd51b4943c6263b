import type { Problem } from "../../domain/problem/problem";
import { labels, Password, atLeast } from "./inputs";
import { Outside } from "./outside";

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
