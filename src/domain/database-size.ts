/** D1's limit for a database, which cannot be raised. */
export const maxDatabaseBytes = 10_000_000_000;

/** An example of the command that adds a database. */
export const addDatabaseCommand = "npm run databases -- add --jurisdiction eu";

/** The share of the limit at which the operator should add a database or move an app or form. */
export const warningShare = 0.7;

export const shareOfLimit = (bytes: number): number => bytes / maxDatabaseBytes;

export const isNearlyFull = (bytes: number): boolean => shareOfLimit(bytes) >= warningShare;
