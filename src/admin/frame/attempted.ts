import type { Context } from "hono";
import { Problem } from "../../domain/problem/problem";
import { problems } from "../../domain/problem/problem-catalogue";
import { wantsJson } from "./negotiate";
import type { Html } from "./answers";

/**
 * Does something with a form that was sent. When it is refused, people get their page again, with what was wrong and
 * all that they had written; scripts get the problem. So do people whose page cannot be drawn again: storage may be out
 * of reach for that too, or what was refused may have been done.
 */
export async function attempted(
  c: Context,
  act: () => Promise<Response>,
  again: (refusal: Problem) => Html | Promise<Html>,
): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || wantsJson(c)) throw error;
    const page = await drawnAgain(error, again);
    return c.html(page, problems[error.code].status, error.headers);
  }
}

async function drawnAgain(
  refusal: Problem,
  again: (refusal: Problem) => Html | Promise<Html>,
): Promise<Html> {
  try {
    return await again(refusal);
  } catch {
    throw refusal;
  }
}
