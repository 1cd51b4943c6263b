import { expect, it } from "vitest";
import { applyBatch } from "../../src/actions/apply-batch.ts";
import { loadCollection } from "../../src/actions/visible.ts";
import { noIdempotencyKey } from "../../src/actions/idempotent.ts";
import { actionContext } from "../support/action-context";
import { client, makeForm } from "../support/service";

it.each([
  [true, "Pen"],
  [false, undefined],
])("presents the items of a batch only if its response has them: %s", async (returns, name) => {
  const form = await makeForm(await client(), [{ key: "name", type: "text" }]);
  const collection = await loadCollection(actionContext, "form", form);
  const body = { operations: [{ op: "create", data: { name: "Pen" } }] };
  const { response } = await applyBatch(actionContext, collection, body, noIdempotencyKey, returns);
  expect(response.map(({ outcome, view }) => [outcome, view?.data["name"]])).toEqual([
    ["created", name],
  ]);
});
