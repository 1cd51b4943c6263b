import { EdgeFormsError, errorOf } from "./problem.ts";

export interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
}

export interface Limits {
  timeout: number;
  signal?: AbortSignal | undefined;
}

/**
 * One request, whole: its answer has to be there within `timeout` milliseconds, to its last byte. Throws an
 * EdgeFormsError, or the reason of the caller's signal.
 */
export async function attempt(
  fetcher: typeof fetch,
  url: string,
  init: RequestInit,
  { timeout, signal }: Limits,
): Promise<Reply> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const give = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", give);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, timeout);
  try {
    // A redirect would carry the credential elsewhere, or make a GET of a POST.
    const sent = { ...init, redirect: "manual", signal: controller.signal } as const;
    const answer = await fetcher(url, sent);
    return readReply(answer, await answer.text());
  } catch (error) {
    if (error instanceof EdgeFormsError) throw error;
    signal?.throwIfAborted();
    const message = late ? `No whole answer within ${timeout} ms.` : "The connection failed.";
    throw new EdgeFormsError(message, { code: late ? "timeout" : "network_error", cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", give);
  }
}

function readReply(answer: Response, text: string): Reply {
  if (!answer.ok) throw errorOf(answer, text);
  const { status, headers } = answer;
  if (text === "") return { status, headers, body: undefined };
  try {
    return { status, headers, body: JSON.parse(text) as unknown };
  } catch (cause) {
    const message = `The service answered ${status} with what is no JSON.`;
    throw new EdgeFormsError(message, { code: "unexpected_answer", status, cause });
  }
}
