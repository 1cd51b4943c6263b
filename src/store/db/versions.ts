/** Of what version of the database reads tell, where a replica may answer them. */
export interface Versions {
  /** None of what is read from now on is older than this. */
  notBefore(bookmark: string): void;
  /** The newest that was told; null where nothing was asked, or what was asked tells none. */
  reached(): string | null;
  /** Whether the primary said all of it: what a replica says has to be confirmed before somebody is refused for it. */
  isSure(): boolean;
}

/** Where the primary alone is asked. */
export const ofPrimary: Versions = {
  notBefore: () => undefined,
  reached: () => null,
  isSure: () => true,
};
