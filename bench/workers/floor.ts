import { app } from "../../src/app.ts";
import { waiting } from "../../src/http/gate-reports.ts";
import { nothing, recording, type Recorded } from "./recording";

export { CredentialGate } from "../../src/gate/gate.ts";
export { WebhookSender } from "../../src/delivery/sender.ts";

/**
 * The floor: a bare Worker that makes the same object call and the same D1 statements as the service does for a
 * request, and nothing else. `POST /record/{name}` has the service answer a request once and keeps what it asked of
 * storage; then any request to `/replay/{name}` asks the same, as another item with another key. `?cache` has it ask
 * KV too, which the service does for creates with a key.
 */

interface Tape extends Pick<Recorded, "trips" | "recalled" | "remembered"> {
  write: boolean;
  /** What must differ in each replay: the ids and the key that the service made. */
  fresh: string[];
}

const tapes = new Map<string, Tape>();
/** What the credentials present, told by their tokens. */
const presented: Recorded["admissions"][number][0][] = [];
let turn = 0;

export default {
  async fetch(request, env, ctx) {
    const [, what, name = ""] = new URL(request.url).pathname.split("/");
    if (what === "record") return record(name, request, env, ctx);
    if (what === "replay") return replay(name, request, env, ctx);
    return app.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Bindings>;

async function record(
  name: string,
  request: Request,
  env: Bindings,
  ctx: ExecutionContext,
): Promise<Response> {
  const recorded = nothing();
  Object.assign(waiting, { refused: 0, served: 0 });
  const target = request.headers.get("X-Target") ?? "";
  const answer = await app.fetch(new Request(target, request), recording(env, recorded), ctx);
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
