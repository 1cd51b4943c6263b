import { problem } from "../domain/problem/problem";
import { pause } from "../store/db/attempt";

/** Each miss means that another write succeeded, so that many tries are many writers and no standstill. */
const mostTries = 100;
const longestPause = 40;

/** Runs `step` until it gives a result; nothing means that somebody else wrote in between, and to look again. */
export async function untilSettled<T>(step: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (tries > 1) await pause(Math.min(longestPause, 2 ** tries));
    const result = await step();
    if (result !== undefined) return result;
  }
  throw problem.tryAgain();
}
