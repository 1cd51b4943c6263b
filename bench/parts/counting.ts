import { caller, type Answer } from "../../src/dev/caller.ts";
import type { Counts } from "../workers/counts.ts";

/** Calls the counted service, and gives what the call cost. */
export async function counting(
  url: string,
  token: string,
  method: string,
  body?: object,
  headers?: Record<string, string>,
): Promise<Answer & { counts: Counts }> {
  const answer = await caller("", token)(method, url, body, headers);
  const counts = JSON.parse(answer.headers.get("X-Counts") ?? "{}") as Counts;
  return { ...answer, counts };
}
