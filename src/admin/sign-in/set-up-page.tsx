import type { Problem } from "../../domain/problem/problem";
import { Input } from "../../html/form/input";
import { labels, Password, Email, atLeast } from "./inputs";
import { Outside } from "./outside";

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
