import { Act } from "../../../html/act";
import { type HookShown, isOwn } from "./hook-shown";

export function Acts(shown: HookShown) {
  const { hook, makerName } = shown;
  const { id, name, state, url } = hook;
  const path = `/admin/webhooks/${id}`;
  return (
    <>
      <Act action={`${path}/test`} name="Send a test" quiet />
      {state === "active" ? (
        <Act action={path} name="Pause" quiet values={{ state: "paused" }} />
      ) : (
        <Act action={path} name="Resume" values={{ state: "active" }} />
      )}
      {isOwn(shown) ? null : (
        <Act
          action={path}
          name="Take over"
          title="Take it over?"
          confirm={`It then tells what you may read, in place of what ${makerName ?? "its maker"} may, and is active.`}
          values={{ url, state: "active" }}
        />
      )}
      <Act
        action={`${path}/delete`}
        name="Delete"
        title={`Delete “${name}”?`}
        confirm="It tells nothing any more, and what it has not told yet is never told by it. Its deliveries and secrets are lost."
      />
    </>
  );
}
