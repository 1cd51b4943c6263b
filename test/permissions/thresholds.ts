import { expect } from "vitest";
import type { Client, Json } from "../support/client";

/** How a stranger measures what it does not see: it adds to what it sees until a limit answers. */

/** Whether a limit is exceeded when the visible part has this size. */
export type Probe = (size: number) => Promise<boolean>;

/** The smallest size in a range at which the limit is exceeded; one above the range if it never is. */
async function thresholdOf([low, high]: readonly [number, number], probe: Probe): Promise<number> {
  let [from, to] = [low, high + 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (await probe(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Where probes reach a limit at another size than the first one, which reaches it in the range. */
export async function otherThresholds(
  [low, high]: readonly [number, number],
  [first, ...others]: readonly Probe[],
): Promise<object[]> {
  if (!first) throw new Error("There is nothing to compare.");
  const size = await thresholdOf([low, high], first);
  if (size === low || size > high) throw new Error(`The limit is at ${size}, outside the range.`);
  const differences = [];
  for (const [index, probe] of others.entries()) {
    const found = { size, before: await probe(size - 1), at: await probe(size) };
    if (found.before || !found.at) differences.push({ index, ...found });
  }
  return differences;
}

export const partnerRights = [
  "submissions:read",
  "submissions:write",
  "submissions:delete",
  "schema:read",
];
export const longText = { type: "text", max_length: 100_000, searchable: false };
export const letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
export const big = "x".repeat(100_000);
const ours = { field: "team", op: "eq", value: "ours" };
export const baseFields = [
  { key: "title", type: "text" },
  { key: "team", type: "select", options: [{ value: "ours" }, { value: "theirs" }] },
];
/** The items of the team "ours", with these fields besides the first two. */
export const viewOfOurs = (fields: readonly string[]) => ({
  key: "ours",
  name: "Ours",
  conditions: [ours],
  fields: ["title", "team", ...fields],
});

/** The hidden part of each item. */
export const decisions = ["", "no", "approved with conditions"];

export async function createdItem(caller: Client, items: string, data: object): Promise<Json> {
  const answer = await caller.post(items, { data });
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.anything()]);
  return answer.body;
}

/** Stores an item that no single request can send. */
export async function patchedItem(caller: Client, id: string, data: object): Promise<void> {
  const answer = await caller.patch(`/submissions/${id}`, { data });
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.anything()]);
}
