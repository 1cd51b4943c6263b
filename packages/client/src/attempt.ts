import { EdgeFormsError, errorOf } from "./problem.ts";

export interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
}

export interface Limits {
  timeout: number;
  /** Whether to return the body of a success as bytes instead of parsed JSON. */
  isBinary?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Sends one request. The complete response must arrive within `timeout` milliseconds. Throws an EdgeFormsError, or
 * the reason of the caller's signal.
 */
export async function attempt(
  fetcher: typeof fetch,
  url: string,
  init: RequestInit,
  { timeout, isBinary, signal }: Limits,
): Promise<Reply> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, timeout);
  try {
    // Following a redirect would send the credential to another host, or turn a POST into a GET.
    const request = { ...init, redirect: "manual", signal: controller.signal } as const;
    const response = await fetcher(url, request);
    if (!isBinary || !response.ok) return readReply(response, await response.text());
    const { status, headers } = response;
    return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
  } catch (error) {
    if (error instanceof EdgeFormsError) throw error;
    signal?.throwIfAborted();
    const { origin } = new URL(url);
    const message = timedOut
      ? `No complete response from ${origin} within ${timeout} ms.`
      : `The connection to ${origin} failed: ${causeOf(error)}`;
    throw new EdgeFormsError(message, {
      code: timedOut ? "timeout" : "network_error",
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Returns the innermost cause, such as a refused connection. Node gives several causes if a host has several addresses. */
function causeOf(error: unknown): string {
  const { cause, errors, message, code } = error as Error & { errors?: unknown[]; code?: string };
  const inner = cause ?? errors?.[0];
  if (inner !== undefined) return causeOf(inner);
  return message || code || "unknown cause";
}

function readReply(response: Response, text: string): Reply {
  if (!response.ok) throw errorOf(response, text);
  const { status, headers } = response;
  if (text === "") return { status, headers, body: undefined };
  try {
    return { status, headers, body: JSON.parse(text) as unknown };
  } catch (cause) {
    const message = `The service returned ${status} with invalid JSON.`;
    throw new EdgeFormsError(message, { code: "unexpected_answer", status, cause });
  }
}
