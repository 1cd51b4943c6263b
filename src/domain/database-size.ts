/** D1's limit for a database, which cannot be raised. */
export const maxDatabaseBytes = 10_000_000_000;

/** The command that adds a database, as an example. */
export const addDatabaseCommand = "npm run databases -- add --jurisdiction eu";

/** From this share of the limit on, the operator should add a database or move an app or form. */
export const warningShare = 0.7;

export const shareOfLimit = (bytes: number): number => bytes / maxDatabaseBytes;

export const isNearlyFull = (bytes: number): boolean => shareOfLimit(bytes) >= warningShare;
