import type { Subject } from "../measure/rounds.ts";
import type { Service } from "../serve/service.ts";
import { callsOf, operations, type Operation } from "./operations.ts";

/** The floor: a bare Worker that makes the same storage calls (workers/floor.ts). The same process serves it as `floor`. */

/** Lets the floor record one request of each operation, and each credential. */
export async function showFloor(service: Service, tokens: readonly string[]): Promise<void> {
  const record = async (name: string, operation: Operation, token: string) => {
    const call = callsOf(operation, "", [token])();
    // Records twice, because a fresh isolate also loads the definition in its first request.
    for (const attempt of [1, 2]) {
      const response = await fetch(`${service.url("floor")}/record/${name}`, {
        method: operation.method,
        headers: {
          ...call.headers,
          ...operation.headers?.(attempt),
          "X-Target": `${service.url("floor")}/api/v1${operation.path}`,
        },
        ...(call.body === undefined ? {} : { body: call.body }),
      });
      if (response.status !== operation.status) throw new Error(await response.text());
      await response.text();
      if (name === "credential") return;
    }
  };
  const me = { name: "me", method: "GET", path: "/me", status: 200 };
  for (const token of tokens) await record("credential", me, token);
  for (const operation of operations) await record(operation.name, operation, tokens[0] ?? "");
}

/** The same requests, sent to the floor. */
export function floorOf(
  service: Service,
  tokens: readonly string[],
  operation: Operation,
  query = "",
): Pick<Subject, "pid" | "next" | "status"> {
  const path = `/replay/${operation.name}${query}`;
  const next = callsOf({ ...operation, path }, service.url("floor"), tokens);
  return { pid: service.pid, next, status: operation.name === "create" ? 201 : 200 };
}
