import { beforeAll, expect } from "vitest";
import { createItems } from "../support/batches";
import type { Client, Json } from "../support/client";
import { admin, client, makeForm } from "../support/service";

/** Forms on whose lists tests act. */

export const html = { Accept: "text/html" };
export const fields = [
  { key: "title", type: "text", label: "Title" },
  { key: "kind", type: "select", label: "Kind", options: ["a", "b"].map((value) => ({ value })) },
  { key: "amount", type: "number", label: "Amount", maximum: 1000 },
];

export let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

/** A form with an item, and the functions to act on its list. */
export async function formWith(...data: object[]) {
  const form = await makeForm(integrator, fields);
  const create = async (item: object, status = "submitted"): Promise<string> =>
    (await integrator.post(`/forms/${form}/submissions`, { status, data: item })).body.id;
  const ids: string[] = [];
  for (const item of data) ids.push(await create(item));
  const createMany = (copies: number, item: object) =>
    createItems(integrator, `/forms/${form}/submissions`, Array<object>(copies).fill(item));
  const path = `/forms/${form}/items/selected`;
  const act = (body: object, headers = {}) => admin("POST", path, body, headers);
  const count = async (search: string): Promise<number> => {
    const list = (await admin("GET", `/forms/${form}/items?${search}`)).body;
    return list.count?.count ?? list.items.length;
  };
  return { form, ids, create, createMany, act, count };
}

/** Runs all steps of a bulk action. Returns its last response and the number of its requests. */
export async function runAll(
  act: (body: object) => Promise<{ body: Json; status: number }>,
  body: object,
) {
  let steps = 0;
  let further = {};
  for (;;) {
    const { body: result, status } = await act({ ...body, sure: "yes", ...further });
    expect(status).toBe(200);
    steps += 1;
    if (result.next === null) return { result, steps };
    const { next: from, done, unchanged, refused, failed } = result;
    further = { from, done, unchanged, refused, refusals: failed };
  }
}
