import type { Credential } from "../domain/credential";
import type { CredentialGate } from "../gate/credential-gate";
import { logMended } from "../middleware/log";

const mostTries = 3;

/** Tells a credential's object of a change. If it cannot be reached, it reads the change itself within 60 seconds. */
export async function announce(
  gate: DurableObjectNamespace<CredentialGate>,
  credential: Credential,
): Promise<void> {
  for (let tries = 1; tries <= mostTries; tries += 1) {
    try {
      await gate.getByName(credential.id).change(credential);
      return;
    } catch (error) {
      logMended("credential object not told of a change", error);
    }
  }
}
