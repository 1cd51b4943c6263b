import { env } from "cloudflare:workers";
import { fieldIdsOf, fillStatements, tallyStatement } from "../../bench/fill";
import { findCollection } from "../../src/store/data/collections.ts";
import { dataHandle, dataDb } from "../support/databases";

export const scale = Number((env as unknown as { SCALE: string }).SCALE);
const itemsPerBatch = 10_000;

/** Inserts `scale` submissions into a form by SQL, with the rows that creates would store. */
export async function fillForm(form: string): Promise<void> {
  const current = await findCollection(dataHandle, "form", form);
  if (!current) throw new Error("The form is gone.");
  const { id, definition } = current.collection;
  const storedFields = definition.fields.fields as Parameters<typeof fieldIdsOf>[0];
  const target = { collectionId: id, fieldIds: fieldIdsOf(storedFields) };
  for (let from = 1; from <= scale; from += itemsPerBatch) {
    const to = Math.min(from + itemsPerBatch - 1, scale);
    await dataDb.batch(fillStatements(target, from, to).map((sql) => dataDb.prepare(sql)));
  }
  await dataDb.prepare(tallyStatement(target, scale)).run();
}
