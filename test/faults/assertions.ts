import { conforms } from "../support/conformance";
import { bytesOf, host, type Answer } from "../support/client";
import { sendRequest, sendReliably, type Outcome } from "./client";
import type { Plan } from "./bindings";
import { assertEqual, type PreparedCall, type Row } from "./routes";
import type { World } from "./world";

/** A plan of faults, with the name that a failing test prints. */
export interface Scenario {
  name: string;
  plan: Plan;
  /** Whether the route must succeed despite the faults. */
  mustSucceed?: true;
  /** Whether the fault is at a later call than the first of its kind. */
  isLater?: boolean;
}

/** Calls the route of `row` while the faults of `plan` happen. */
export async function callRoute(row: Row, world: World, plan?: Plan): Promise<Outcome> {
  const prepared = await row.prepare(world);
  const outcome = await sendRequest(methodOf(row), prepared, plan);
  await outcome.waitUntilSettled();
  await prepared.cleanUp?.();
  return outcome;
}

export const isRead = ({ route }: Row) => route.startsWith("GET ");

const methodOf = ({ route }: Row) => route.split(" ")[0] ?? "";

/**
 * Calls the route and returns every violation: it must return its usual status, or 503 with Retry-After. After a success
 * the change must be stored.
 */
export async function findErrors(
  row: Row,
  world: World,
  { name, plan, mustSucceed, isLater = false }: Scenario,
  expected: Answer,
): Promise<string[]> {
  const prepared = await row.prepare(world);
  const { answer, thrown, faultCount, waitUntilSettled } = await sendRequest(
    methodOf(row),
    prepared,
    plan,
  );
  await waitUntilSettled();
  const errors = thrown.map((error) => `threw ${String(error)}`);
  // A read repeats at the primary only while another test writes, so its later calls may not happen.
  if (faultCount() === 0 && !(isLater && isRead(row))) errors.push("nothing failed");
  const check = async (label: string, assertion: Promise<void>) => {
    await assertion.catch((error: unknown) => errors.push(`${label}: ${String(error)}`));
  };
  if (answer?.status === 503 && !mustSucceed) {
    await check("503 response", check503(row, prepared, answer));
    await check("after the 503", prepared.verifyAfter503?.() ?? resend(row, prepared));
  } else if (answer?.status === row.status) {
    if (answer.status < 400)
      await check("after success", prepared.verifyDone?.(answer) ?? nothingToCheck);
    if (row.isConstant && textOf(answer) !== textOf(expected))
      errors.push(`answered ${answer.text}`);
  } else errors.push(answer ? `answered ${answer.status} ${answer.text}` : "was not answered");
  await prepared.cleanUp?.();
  return errors.map((message) => `${name}: ${message.slice(0, 500)}`);
}

const nothingToCheck = Promise.resolve();

/** The text of a response without the request id and the cursor, which differ each time. */
const textOf = (answer: Answer) => bytesOf(answer).replace(/"next":"[^"]+"/, "");

async function check503(row: Row, { path, headers }: PreparedCall, answer: Answer): Promise<void> {
  const retryAfter = answer.headers.get("Retry-After") ?? "no Retry-After";
  if (!/^[1-9]\d*$/.test(retryAfter)) throw new Error(retryAfter);
  const type = answer.headers.get("Content-Type") ?? "";
  if (headers?.["Accept"] === "text/html") return assertEqual(type.split(";")[0], "text/html");
  if (!path.startsWith("/api/v1/")) return assertEqual(/json/.test(type), true);
  assertEqual([type, answer.body.code], ["application/problem+json", "try_again"]);
  return conforms(methodOf(row), host + path, answer);
}

/** Repeats the call after a 503. It must succeed now, or report that it had succeeded. */
async function resend(row: Row, prepared: PreparedCall): Promise<void> {
  const { path, ...input } = prepared;
  const answer = await sendReliably(methodOf(row), path, input);
  const expectedStatuses = [row.status, ...(prepared.retryStatuses ?? [])];
  if (!expectedStatuses.includes(answer.status)) {
    throw new Error(`the retry returned ${answer.status} ${answer.text}`);
  }
  if (row.status < 400)
    await prepared.verifyDone?.(answer.status === row.status ? answer : undefined);
}

/** Runs `run` for all items, at most `size` at a time. Keeps the order of the results. */
export async function mapInPool<T, R>(
  size: number,
  list: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const queue = list.map((item, index) => ({ item, index }));
  const results: R[] = [];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      results[next.index] = await run(next.item);
    }
  };
  await Promise.all(Array.from({ length: size }, worker));
  return results;
}
