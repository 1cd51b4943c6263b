import { addressRefusal } from "../domain/webhook/address";
import { isDelivered, type Tried } from "../domain/webhook/delivery";

/** What a receiver may take: milliseconds for its answer and for the rest of it; bytes that are read. Adjustable for tests. */
export const receiver = { milliseconds: 10_000, rest: 1000, bytes: 1024 };

export interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Whether receivers on one's own machine are allowed. */
  local: boolean;
}

/** Posts a message once. Addresses are judged again, redirects are answers like any other, and no more is read than is kept. */
export async function send({ url, headers, body, local }: Sent): Promise<Tried> {
  const started = Date.now();
  const none = { status: null, answer: null };
  const tried = (rest: Omit<Tried, "milliseconds">): Tried => ({
    ...rest,
    milliseconds: Date.now() - started,
  });
  const refusal = addressRefusal(url, local);
  if (refusal) return tried({ ...none, error: `The address is refused: ${refusal}` });
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), receiver.milliseconds);
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Edge-Forms-Webhooks/1",
        ...headers,
      },
      body,
      signal: ending.signal,
    });
    const { status } = response;
    const answered = tried({ status, answer: null, error: errorOf(status) });
    return { ...answered, answer: await beginningOf(response) };
  } catch {
    const error = ending.signal.aborted
      ? `There was no answer within ${receiver.milliseconds / 1000} seconds.`
      : "The receiver could not be reached, or closed the connection.";
    return tried({ ...none, error });
  } finally {
    clearTimeout(timer);
    // Whatever else it sends is not wanted.
    ending.abort();
  }
}

function errorOf(status: number): string | null {
  if (isDelivered({ status })) return null;
  if (status >= 300 && status < 400) return "Redirects are not followed.";
  return `The receiver answered ${status}.`;
}

/** The first bytes of an answer, or those that came in time; the rest is cut off. */
async function beginningOf({ body }: Response): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  const kept = new Uint8Array(receiver.bytes);
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<{ done: true }>((resolve) => {
    timer = setTimeout(() => resolve({ done: true }), receiver.rest);
  });
  try {
    while (length < kept.length) {
      const read = (await Promise.race([
        reader.read(),
        late,
      ])) as ReadableStreamReadResult<Uint8Array>;
      if (read.done) break;
      const part = read.value.subarray(0, kept.length - length);
      kept.set(part, length);
      length += part.length;
    }
  } catch {
    // It broke off: what came is what there is.
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
  return new TextDecoder().decode(kept.subarray(0, length));
}
