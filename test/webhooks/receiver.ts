import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Client, Json } from "../support/client";

/** A receiver inside the test: it stands where the network would be. */

interface Received {
  url: string;
  headers: Headers;
  text: string;
  body: Json;
}

type Answering = (received: Received, count: number) => Response | Promise<Response>;

const taken: Answering = () => new Response("taken");

export class Receiver {
  readonly url = `https://${crypto.randomUUID()}.example/hook`;
  /** All that came in, whatever was answered. */
  readonly all: Received[] = [];
  /** What was answered with a success. */
  readonly taken: Received[] = [];
  answers: Answering = taken;

  constructor() {
    receivers.set(this.url, this);
  }

  recover(): void {
    this.answers = taken;
  }

  async receive(request: Request): Promise<Response> {
    const text = await request.text();
    const received = { url: request.url, headers: request.headers, text, body: JSON.parse(text) };
    this.all.push(received);
    const response = await this.answers(received, this.all.length);
    if (response.ok) this.taken.push(received);
    return response;
  }
}

const receivers = new Map<string, Receiver>();
const network = globalThis.fetch;

vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
  const request = new Request(input, init);
  const receiver = receivers.get(request.url);
  if (!receiver) return network(request);
  const signal = init?.signal;
  const ending = new Promise<never>((_, reject) =>
    signal?.addEventListener("abort", () => reject(new Error("aborted"))),
  );
  ending.catch(() => undefined);
  return Promise.race([receiver.receive(request), ending]);
});

export async function hook(by: Client, receiver: { url: string }, rest: object): Promise<Json> {
  const { status, text, body } = await by.post("/webhooks", {
    name: "Test",
    url: receiver.url,
    types: [
      "record.created",
      "record.updated",
      "submission.created",
      "submission.updated",
      "submission.deleted",
      "submission.closed",
    ],
    ...rest,
  });
  if (status !== 201) throw new Error(text);
  return body;
}

export const objectOf = (id: string) => env.HOOKS.getByName(id);

/** Runs the webhook's alarm now, and again while there is more to do at once. */
export async function tell(id: string): Promise<void> {
  await objectOf(id).wake(id);
  await runDurableObjectAlarm(objectOf(id));
}

/** Waits until this is true; a second or so, as an alarm gathers. */
export async function until(holds: () => boolean | Promise<boolean>, milliseconds = 15_000) {
  const end = performance.now() + milliseconds;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error("It does not come true.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
