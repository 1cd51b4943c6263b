import { problem } from "../../domain/problem/problem";
import type { AppEnv, Reading } from "../../env";
import { logMended } from "../../http/answers/log";
import { timely } from "../../store/db/attempt";

/** Counts what could be guessed; 30 in a minute. While it cannot be counted, nobody may guess. */
export async function limitAttempts(c: Reading<AppEnv>, key: string): Promise<void> {
  const { success } = await timely(() => c.env.SIGN_INS.limit({ key })).catch((error: unknown) => {
    logMended("attempts cannot be counted", error);
    throw problem.tryAgain();
  });
  if (!success)
    throw problem.rateLimited(60, "Too many attempts to sign in. Wait a minute, then try again.");
}
