import type { Subject } from "../measure/rounds.ts";
import type { Service } from "../serve/service.ts";
import { callsOf, operations, type Operation } from "./operations.ts";

/** The bare Worker that asks storage for the same (workers/floor.ts), served as `floor` beside the service. */

/** Shows the floor one request of each kind, and each credential. */
export async function showFloor(service: Service, tokens: readonly string[]): Promise<void> {
  const show = async (name: string, operation: Operation, token: string) => {
    const call = callsOf(operation, "", [token])();
    // The second time: an isolate that does not know the definition yet asks for it.
    for (const time of [1, 2]) {
      const answer = await fetch(`${service.url("floor")}/record/${name}`, {
        method: operation.method,
        headers: {
          ...call.headers,
          ...operation.headers?.(time),
          "X-Target": `${service.url("floor")}/api/v1${operation.path}`,
        },
        ...(call.body === undefined ? {} : { body: call.body }),
      });
      if (answer.status !== operation.status) throw new Error(await answer.text());
      await answer.text();
      if (name === "credential") return;
    }
  };
  const me = { name: "me", method: "GET", path: "/me", status: 200 };
  for (const token of tokens) await show("credential", me, token);
  for (const operation of operations) await show(operation.name, operation, tokens[0] ?? "");
}

/** The same requests, answered by the floor. */
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
