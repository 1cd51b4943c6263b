import { sha256 } from "../../src/domain/credential/keys.ts";

export { CredentialGate, WebhookSender } from "../../src/index.ts";

/**
 * Runs a plain statement on the database of the service, or batches of statements if the body is JSON. `?form=` names
 * the form or app of the fields in the statement, as in `{field:amount}` and `{slot:amount}`. `{form}` stands for its
 * ID. Each further `?form=` adds slots. For a request with a token, it first makes the object call of every
 * authenticated request.
 */
export default {
  async fetch(request, { DB, GATE }) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/health") return new Response("ok");
    const token = request.headers.get("Authorization")?.replace("Bearer ", "");
    if (token !== undefined) await admit(GATE, token);
    const text = await request.text();
    if (text.startsWith("[")) return await runTrips(DB, JSON.parse(text) as Trips);
    const form = await loadForms(DB, searchParams.getAll("form"));
    const sql = text.replace(/\{(\w+):?(\w*)\}/g, (_, kind, key) =>
      String(valueOf(form, kind as Kind, key as string)),
    );
    const { results } = await DB.prepare(sql).all();
    return Response.json({ groups: results.slice(0, 1000) });
  },
} satisfies ExportedHandler<Pick<Bindings, "DB" | "GATE">>;

/** The statements of each round trip. */
type Trips = { sql: string; values: unknown[] }[][];

async function runTrips(db: D1Database, trips: Trips): Promise<Response> {
  const groups: unknown[] = [];
  for (const statements of trips) {
    const results = await db.batch(
      statements.map(({ sql, values }) => db.prepare(sql).bind(...values)),
    );
    groups.push(...results.flatMap(({ results: rows }) => rows).slice(0, 1000));
  }
  return Response.json({ groups });
}

/** A token contains the ID of its credential from this position. */
const idStart = "efp_".length;
const idEnd = idStart + 26;

async function admit(gate: Bindings["GATE"], token: string): Promise<void> {
  const credentialId = token.slice(idStart, idEnd);
  const presented = { credentialId, proof: { hash: await sha256(token) } };
  const { verdict } = await gate.getByName(credentialId).admit(presented, false);
  if (verdict !== "admitted") throw new Error(`The credential was ${verdict}.`);
}

type Kind = "field" | "slot" | "form" | "above" | "below";

interface Field {
  key: string;
  id: number;
  /** The columns of line items. */
  fields?: Field[];
}

interface Form {
  id: number;
  slots: Record<string, number>;
}

const knownForms = new Map<string, Form>();
const span = 2 ** 32;

async function loadForms(db: D1Database, keys: readonly string[]): Promise<Form> {
  const forms = await Promise.all(keys.map((key) => loadForm(db, key)));
  const slots = forms.toReversed().map((each) => each.slots);
  return { id: forms[0]?.id ?? 0, slots: Object.assign({}, ...slots) as Form["slots"] };
}

async function loadForm(db: D1Database, key: string): Promise<Form> {
  const known = knownForms.get(key);
  if (known) return known;
  const row = await db
    .prepare("select id, fields from collection where key = ?1")
    .bind(key)
    .first<{ id: number; fields: string }>();
  if (!row) throw new Error(`There is no form ${key}.`);
  const { fields } = JSON.parse(row.fields) as { fields: Field[] };
  const found = {
    id: row.id,
    slots: Object.fromEntries(
      fields.flatMap((each) => [each, ...(each.fields ?? [])]).map((each) => [each.key, each.id]),
    ),
  };
  knownForms.set(key, found);
  return found;
}

function valueOf({ id, slots }: Form, kind: Kind, key: string): number {
  switch (kind) {
    case "field":
      return id * span + (slots[key] ?? 0);
    case "slot":
      return slots[key] ?? 0;
    case "form":
      return id;
    case "above":
      return id * span;
    case "below":
      return (id + 1) * span;
  }
}
