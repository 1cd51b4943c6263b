import { SecretFrame } from "./secret-frame";
import type { Shown } from "./secrets-page";

/** A new secret that was shown before. */
export function FormerSecretPage({ frame, credential }: Shown) {
  return (
    <SecretFrame frame={frame} credential={credential}>
      <p class="notice warn">
        It was shown once, and is kept nowhere. Where it was not copied, make a new one.
      </p>
      <p>
        <a class="button" href={`/admin/integrations/${credential.id}/secrets`}>
          To the secrets
        </a>
      </p>
    </SecretFrame>
  );
}
