import { conforms } from "../support/conformance";
import { bytesOf, host, type Answer } from "../support/client";
import { ask, askSteadily, type Outcome } from "./asking";
import type { Plan } from "./bindings";
import { agree, type Prepared, type Row } from "./routes";
import type { World } from "./world";

/** Something that goes wrong, by a name that is told when it is not borne. */
export interface Scenario {
  name: string;
  plan: Plan;
  /** Whether the answer has to be the usual one all the same. */
  harmless?: true;
}

/** Calls a route as `row` says, while `plan` goes wrong. */
export async function call(row: Row, world: World, plan?: Plan): Promise<Outcome> {
  const prepared = await row.prepare(world);
  const outcome = await ask(methodOf(row), prepared, plan);
  await outcome.settled();
  await prepared.after?.();
  return outcome;
}

const methodOf = ({ route }: Row) => route.split(" ")[0] ?? "";

/**
 * What is wrong with how a call of `row` went, if anything is: it is answered as ever, or with a 503 that says when
 * to come back; and what was said to be done is done.
 */
export async function wrongsOf(
  row: Row,
  world: World,
  { name, plan, harmless }: Scenario,
  usual: Answer,
): Promise<string[]> {
  const prepared = await row.prepare(world);
  const { answer, thrown, struck, settled } = await ask(methodOf(row), prepared, plan);
  await settled();
  const wrongs = thrown.map((error) => `threw ${String(error)}`);
  if (struck() === 0) wrongs.push("nothing failed");
  const judge = async (what: string, judging: Promise<void>) => {
    await judging.catch((error: unknown) => wrongs.push(`${what}: ${String(error)}`));
  };
  if (answer?.status === 503 && !harmless) {
    await judge("its 503", judge503(row, prepared, answer));
    await judge("after its 503", prepared.unknown?.() ?? sendAgain(row, prepared));
  } else if (answer?.status === row.status) {
    if (answer.status < 400) await judge("said done", prepared.done?.(answer) ?? nothing);
    if (row.same && textOf(answer) !== textOf(usual)) wrongs.push(`answered ${answer.text}`);
  } else wrongs.push(answer ? `answered ${answer.status} ${answer.text}` : "was not answered");
  await prepared.after?.();
  return wrongs.map((wrong) => `${name}: ${wrong.slice(0, 500)}`);
}

const nothing = Promise.resolve();

/** What an answer says, without what differs each time: its request, and its cursor, which is sealed anew. */
const textOf = (answer: Answer) => bytesOf(answer).replace(/"next":"[^"]+"/, "");

async function judge503(row: Row, { path, headers }: Prepared, answer: Answer): Promise<void> {
  const later = answer.headers.get("Retry-After") ?? "no Retry-After";
  if (!/^[1-9]\d*$/.test(later)) throw new Error(later);
  const type = answer.headers.get("Content-Type") ?? "";
  if (headers?.["Accept"] === "text/html") return agree(type.split(";")[0], "text/html");
  if (!path.startsWith("/api/v1/")) return agree(/json/.test(type), true);
  agree([type, answer.body.code], ["application/problem+json", "try_again"]);
  return conforms(methodOf(row), host + path, answer);
}

/** After a 503 a call can be sent again: it is done then, or was done before. */
async function sendAgain(row: Row, prepared: Prepared): Promise<void> {
  const { path, ...rest } = prepared;
  const answer = await askSteadily(methodOf(row), path, rest);
  const possible = [row.status, ...(prepared.again ?? [])];
  if (!possible.includes(answer.status)) {
    throw new Error(`sent again it is answered ${answer.status} ${answer.text}`);
  }
  if (row.status < 400) await prepared.done?.(answer.status === row.status ? answer : undefined);
}

/** Runs these, at most `size` at a time. */
export async function inPool<T, R>(
  size: number,
  list: readonly T[],
  run: (each: T) => Promise<R>,
): Promise<R[]> {
  const waiting = list.map((each, index) => ({ each, index }));
  const results: R[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      results[next.index] = await run(next.each);
    }
  };
  await Promise.all(Array.from({ length: size }, work));
  return results;
}
