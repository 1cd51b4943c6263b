import { env } from "cloudflare:workers";
import { fieldIdsOf, fillStatements, tallyStatement } from "../../bench/fill";
import { findCollection } from "../../src/store/data/collections.ts";

export const scale = Number((env as unknown as { SCALE: string }).SCALE);
const perStep = 10_000;

/** Fills a form with `scale` submissions by SQL, as creates would have stored them. */
export async function fill(form: string): Promise<void> {
  const now = await findCollection(env.DB, "form", form);
  if (!now) throw new Error("The form is gone.");
  const { id, definition } = now.collection;
  const stored = definition.fields.fields as Parameters<typeof fieldIdsOf>[0];
  const target = { collectionId: id, fieldIds: fieldIdsOf(stored) };
  for (let from = 1; from <= scale; from += perStep) {
    const to = Math.min(from + perStep - 1, scale);
    await env.DB.batch(fillStatements(target, from, to).map((sql) => env.DB.prepare(sql)));
  }
  await env.DB.prepare(tallyStatement(target, scale)).run();
}
