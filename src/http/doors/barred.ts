import { keepNewest } from "./keep-newest";

/**
 * Credentials that this isolate knows to be refused or limited, until when: their requests ask their object alone, so that
 * whoever goes on all the same costs the database nothing.
 */
const barred = new Map<string, number>();

/** How long a refused credential is taken for one that is refused again; milliseconds. */
const refusedFor = 60_000;

export function isBarred(credentialId: string, now: number): boolean {
  return now < (barred.get(credentialId) ?? 0);
}

/** `seconds`: of the limit; null for who was refused. */
export function bar(credentialId: string, now: number, seconds: number | null): void {
  keepNewest(barred, credentialId, now + (seconds === null ? refusedFor : seconds * 1000));
}

export function unbar(credentialId: string): void {
  barred.delete(credentialId);
}
