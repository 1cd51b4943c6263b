import type { Kept } from "./kept";
import { Outside } from "./outside";

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
