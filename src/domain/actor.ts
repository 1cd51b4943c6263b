/**
 * Who does something: a credential, a member in the administration area, the service itself (a recalculation), or
 * somebody who is not signed in yet.
 */
export type Actor = `credential:${string}` | `member:${string}` | "system" | "nobody";
