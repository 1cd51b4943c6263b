import { Copyable } from "../../html/parts/copyable";
import { AdminPage } from "../frame/layout";
import type { HookShown } from "./frame/hook-shown";

/** A new secret, this once; `secret` is absent where it was shown before. */
export function NewSecretPage({
  frame,
  hook: { id, name },
  secret,
}: Omit<HookShown, "makerName"> & { secret: string | undefined }) {
  const path = `/admin/webhooks/${id}`;
  return (
    <AdminPage
      frame={frame}
      title="Your webhook’s secret"
      crumbs={[
        ["Webhooks", "/admin/webhooks"],
        [name, path],
      ]}
    >
      {secret === undefined ? (
        <>
          <p class="notice warn">It was shown once. Where it was not copied, make a new one.</p>
          <p>
            <a class="button" href={`${path}/secrets`}>
              To the secrets
            </a>
          </p>
        </>
      ) : (
        <>
          <p class="notice warn">Copy it now: it is shown this once.</p>
          <h2>Secret</h2>
          <Copyable id="secret" text={secret} />
          <p class="lead">
            The receiver verifies with it what comes, as{" "}
            <a href="/docs/webhooks#verify">these programs do</a>.
          </p>
          <p class="actions">
            <a class="button quiet" href={path}>
              Done
            </a>
          </p>
        </>
      )}
    </AdminPage>
  );
}
