import { expect } from "vitest";
import type { Answer, Client } from "../support/client";
import { canaries, hiddenKeys } from "./narrow-world";

/** Requests of narrow credentials, whose responses must contain nothing hidden. */

/** What may differ between two responses to the same question. */
export const comparable = ({ status, text, headers }: Answer) => [
  status,
  text.replaceAll(/"request_id":"[^"]*"/g, ""),
  [...headers].filter(([name]) => !/^(x-request-id|ratelimit)$/.test(name)),
];

export interface Sent {
  method: string;
  path: string;
  body?: unknown;
}

/** Sends a request and asserts that nothing in the response is hidden, apart from what the request itself says. */
export async function ask(
  caller: Client,
  { method, path, body }: Sent,
  headers = {},
): Promise<Answer> {
  const answer = await caller.send(method, path, body, headers);
  assertNoCanary(answer, JSON.stringify([path, body ?? null, headers]));
  return answer;
}

export function assertNoCanary(
  { text, headers }: Pick<Answer, "text" | "headers">,
  sent: string,
): void {
  const received = `${text}\n${[...headers].join("\n")}`;
  const leaked = [...canaries, ...hiddenKeys].filter(
    (canary) => received.includes(canary) && !sent.includes(canary),
  );
  expect([sent, leaked, leaked.length > 0 ? received : ""]).toEqual([sent, [], ""]);
}
