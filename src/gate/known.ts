import type { Credential } from "../domain/credential/credential";

/** What an object knows of its credential; null where there is none. */
export interface Known {
  credential: Credential | null;
  readAt: number;
}

/** Whether this state of a credential was before the one that is known: messages overtake each other. */
export function isOlder(credential: Credential | null, known: Known | undefined): boolean {
  const newest = known?.credential?.version ?? 0;
  return newest > 0 && (credential?.version ?? 0) < newest;
}
