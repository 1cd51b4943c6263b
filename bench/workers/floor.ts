import worker from "../../src/index.ts";
import { nothing, recording, type Recorded } from "./recording";

export { CredentialGate, WebhookSender } from "../../src/index.ts";

/**
 * The floor: a bare Worker that makes the same object call and the same D1 statements as the service, and nothing else.
 * A request to `/record/{name}` runs in the service once and records its storage calls. A request to `/replay/{name}`
 * repeats these calls with new IDs and a new key. `?cache` adds the KV calls of creates with a key.
 */

interface Tape extends Pick<Recorded, "trips" | "recalled" | "remembered"> {
  write: boolean;
  /** The values that must differ in each replay: the IDs and the key. */
  fresh: string[];
}

const tapes = new Map<string, Tape>();
/** The presented credentials. Replays choose among them by token. */
const presented: Recorded["admissions"][number][0][] = [];
let turn = 0;

export default {
  async fetch(request, env, ctx) {
    const [, what, name = ""] = new URL(request.url).pathname.split("/");
    if (what === "record") return record(name, request, env, ctx);
    if (what === "replay") return replay(name, request, env, ctx);
    return worker.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Bindings>;

async function record(
  name: string,
  request: Request,
  env: Bindings,
  ctx: ExecutionContext,
): Promise<Response> {
  const recorded = nothing();
  const TIMEOUTS = { refusedReportMs: 0, servedReportMs: 0 };
  const bindings = { ...recording(env, recorded), TIMEOUTS };
  const target = request.headers.get("X-Target") ?? "";
  const answer = await worker.fetch(new Request(target, request), bindings, ctx);
  const [admission] = recorded.admissions;
  if (!admission) return answer;
  if (name === "credential") presented.push(admission[0]);
  const made = /[0-9A-HJKMNP-TV-Z]{26}/.exec(answer.headers.get("Location") ?? "") ?? [];
  const fresh = [...made, ...recorded.recalled];
  tapes.set(name, { ...recorded, write: admission[1], fresh });
  return answer;
}

async function replay(
  name: string,
  request: Request,
  env: Bindings,
  ctx: ExecutionContext,
): Promise<Response> {
  const tape = tapes.get(name);
  const credential = presented[(turn += 1) % presented.length];
  if (!tape || !credential) return new Response("nothing recorded", { status: 404 });
  if (tape.write) await request.text();
  await env.GATE.getByName(credential.credentialId).admit(credential, tape.write);
  const renew = renewal(tape.fresh);
  const cached = new URL(request.url).searchParams.has("cache");
  if (cached) for (const key of tape.recalled) ctx.waitUntil(env.REPLAYS.get(String(renew(key))));
  let rows: unknown[] = [];
  for (const trip of tape.trips) {
    const statements = trip.statements.map(({ sql, values }) =>
      env.DB.prepare(sql).bind(...values.map(renew)),
    );
    const [alone] = statements;
    const results =
      alone && statements.length === 1 ? [await alone.all()] : await env.DB.batch(statements);
    rows = results.flatMap(({ results: each }) => each);
  }
  for (const [key, value, options] of cached ? tape.remembered : []) {
    ctx.waitUntil(env.REPLAYS.put(String(renew(key)), String(renew(value)), options));
  }
  return new Response(JSON.stringify(rows), {
    status: tape.write ? 201 : 200,
    headers: { "Content-Type": "application/json" },
  });
}

function renewal(fresh: readonly string[]): (value: unknown) => unknown {
  if (fresh.length === 0) return (value) => value;
  const own = crypto.randomUUID().replaceAll("-", "").toUpperCase();
  return (value) =>
    typeof value === "string"
      ? fresh.reduce((text, old) => text.replaceAll(old, (own + own).slice(0, old.length)), value)
      : value;
}
