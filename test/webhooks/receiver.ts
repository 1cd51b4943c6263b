import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Client, Json } from "../support/client";

interface ReceivedMessage {
  url: string;
  headers: Headers;
  text: string;
  body: Json;
}

type Responder = (message: ReceivedMessage, count: number) => Response | Promise<Response>;

const respondOk: Responder = () => new Response("taken");

/** A webhook receiver inside the test. A mocked `fetch` sends it the requests for its URL. */
export class Receiver {
  readonly url = `https://${crypto.randomUUID()}.example/hook`;
  /** Every message, whatever the response. */
  readonly received: ReceivedMessage[] = [];
  /** The messages that got a 2xx response. */
  readonly accepted: ReceivedMessage[] = [];
  respond: Responder = respondOk;

  constructor() {
    receivers.set(this.url, this);
  }

  recover(): void {
    this.respond = respondOk;
  }

  async receive(request: Request): Promise<Response> {
    const text = await request.text();
    const message = { url: request.url, headers: request.headers, text, body: JSON.parse(text) };
    this.received.push(message);
    const response = await this.respond(message, this.received.length);
    if (response.ok) this.accepted.push(message);
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
  const abort = new Promise<never>((_, reject) =>
    signal?.addEventListener("abort", () => reject(new Error("aborted"))),
  );
  abort.catch(() => undefined);
  return Promise.race([receiver.receive(request), abort]);
});

export async function createWebhook(
  caller: Client,
  receiver: { url: string },
  settings: object,
): Promise<Json> {
  const { status, text, body } = await caller.post("/webhooks", {
    name: "Test",
    url: receiver.url,
    types: [
      "record.created",
      "record.updated",
      "submission.created",
      "submission.updated",
      "record.deleted",
      "submission.deleted",
      "submission.closed",
    ],
    ...settings,
  });
  if (status !== 201) throw new Error(text);
  return body;
}

export const webhookObject = (id: string) => env.HOOKS.getByName(id);

/** Wakes the webhook and runs its alarm now. */
export async function deliverNow(id: string): Promise<void> {
  await webhookObject(id).wake(id);
  await runDurableObjectAlarm(webhookObject(id));
}

/** Polls until the condition is true. Throws after `milliseconds`. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  milliseconds = 15_000,
) {
  const end = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error("The condition stayed false.");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
