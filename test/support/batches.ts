import { maxOperations } from "../../src/domain/item/body.ts";
import type { Client } from "./client";

/** Creates an item with each of these data, in batches, because single requests take much longer. */
export async function createItems(
  creator: Client,
  path: string,
  data: readonly object[],
): Promise<void> {
  const operations = data.map((each) => ({ op: "create", data: each }));
  for (let start = 0; start < operations.length; start += maxOperations) {
    const body = { operations: operations.slice(start, start + maxOperations) };
    const { status, text } = await creator.post(`${path}/batch`, body);
    if (status !== 200) throw new Error(text);
  }
}
