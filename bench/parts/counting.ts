import { caller, type Answer } from "../../test/support/caller.ts";
import type { Counts } from "../workers/counts.ts";

/** Calls the counted service and returns the response with the cost of the call. */
export async function counting(
  url: string,
  token: string,
  method: string,
  body?: object,
  headers?: Record<string, string>,
): Promise<Answer & { counts: Counts }> {
  const response = await caller("", token)(method, url, body, headers);
  const counts = JSON.parse(response.headers.get("X-Counts") ?? "{}") as Counts;
  return { ...response, counts };
}
