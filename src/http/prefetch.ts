import type { Context } from "hono";
import { Problem } from "#domain/problem/problem.ts";
import type { AppEnv } from "./env.ts";
import type { Seen } from "#gate/state.ts";
import { nearest, primary, Session } from "#store/db/session.ts";
import { readContext } from "./context.ts";
import { questionOf, type Question, type Read } from "#http/doors/question.ts";

/** A question that is under way, and the session that it is asked by. */
interface Asked {
  question: Question<unknown>;
  answer: Promise<unknown>;
  session: Session;
}

/** Asks what the route will read before it is known who asks: of the nearest, unless the caller wants the primary. */
export function askAhead(c: Context): Asked | undefined {
  const found = questionOf(c);
  if (!found) return undefined;
  return ask(c, found.question, found.params, wantsPrimary(c) ? primary : nearest);
}

function ask(
  c: Context,
  question: Question<unknown>,
  params: Record<string, string>,
  from: typeof primary | typeof nearest,
  notBefore: string | null = null,
): Asked {
  const session = new Session(c.env.DB, from);
  if (notBefore !== null) session.notBefore(notBefore);
  const answer = question(readContext(c as Context<AppEnv>, session), params, c);
  // Where a door refuses the request, nobody ever looks.
  answer.catch(() => undefined);
  return { question, answer, session };
}

/** Contract, section 16. */
function wantsPrimary({ req }: Context): boolean {
  return /(^|,)\s*no-cache\s*(,|$)/i.test(req.header("Cache-Control") ?? "");
}

/**
 * Gives what was read where the credential may go by it: it has to see its own writes, and nothing is refused by what
 * only a replica says. The primary is asked otherwise. A write may go by anything: the guards are in its batch.
 */
export function makeReader(
  c: Context,
  seen: Seen,
  isWrite: boolean,
  ahead: Asked | undefined,
  note: (session: Session) => void,
): Read {
  const holds = async ({ answer, session }: Asked): Promise<boolean> => {
    try {
      await answer;
      return isWrite || session.sees(seen);
    } catch (error) {
      return session.isSure() || (error instanceof Problem && error.status >= 500);
    }
  };
  const from = () => (seen.untold || wantsPrimary(c) ? primary : nearest);
  return async <T>(question: Question<T>): Promise<T> => {
    const isAhead = ahead?.question === question;
    // Who waits for a part learns it from the whole.
    if (!isAhead) await ahead?.answer.catch(() => undefined);
    const params = c.req.param();
    const first = isAhead ? ahead : ask(c, question, params, from(), seen.bookmark);
    const { answer, session } = (await holds(first)) ? first : ask(c, question, params, primary);
    note(session);
    return answer as Promise<T>;
  };
}
