/** Wraps the bindings of the service so that their calls fail as a plan says. */

const kinds = ["d1", "kv", "object", "limit"] as const;
export type Kind = (typeof kinds)[number];

/** A call of the service to a binding. */
export interface Call {
  kind: Kind;
  /** `batch`, `get`, `admit` and so on. */
  method: string;
  /** Its position among the calls of its kind, from 1. */
  position: number;
}

interface ErrorFault {
  mode: "fails_before" | "fails_after";
  error: Error;
}

/** How a call can go wrong. */
export type Fault =
  /** Throws without running the call, or runs the call and then throws instead of returning its result. */
  | ErrorFault
  /** Throws at once and runs the call later, as when the connection breaks while the call is on its way. */
  | { mode: "fails_then_runs"; error: Error; milliseconds: number }
  /** Delays the result; or delays the call, so that it runs after its caller has given up. */
  | { mode: "slow" | "queued"; milliseconds: number }
  /** Never settles, either without running the call or after running it. */
  | { mode: "hangs_before" }
  | { mode: "hangs_after" };

/** Returns the fault of a call, or undefined when the call works. */
export type Plan = (call: Call) => Fault | undefined;

export const noFaults: Plan = () => undefined;

/** Fails the call at this position, or every call of the kind. */
export function failAt(kind: Kind, position: number | "every", fault: () => Fault): Plan {
  return (call) =>
    call.kind === kind && (position === "every" || call.position === position)
      ? fault()
      : undefined;
}

/** Uses the first plan that has a fault for the call. */
export function firstFault(...plans: Plan[]): Plan {
  return (call) => {
    for (const plan of plans) {
      const fault = plan(call);
      if (fault) return fault;
    }
    return undefined;
  };
}

/** D1 errors have no codes. Their `cause` repeats the message without the prefix. */
export function d1Error(message: string): Error {
  return new Error(message, { cause: new Error(message.replace(/^D1_ERROR: /, "")) });
}

function objectError(message: string, flags: { overloaded?: true; retryable?: true }): Error {
  return Object.assign(new Error(message), { remote: true }, flags);
}

const connectionLost = "Network connection lost.";
const internalError = "internal error; reference = abc123";
const neverResponds =
  "The Workers runtime canceled this request because it detected that your Worker's code had hung and would never generate a response.";

/** Transient errors of D1. Neither the request nor the service causes them. */
export const d1Messages = [
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: internal error; reference = abc123",
  "Failed to parse body as JSON, got: error code: 1031",
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: Replica is unavailable",
  "D1_ERROR: Isolate Has exceeded Cpu Limit",
  "Error: Durable Object reset because its code was updated.",
  "The script will never generate a response",
] as const;

/** An error that shows a defect in a statement. */
export const defectMessage = "D1_ERROR: no such column: item.secret";

/** The errors that each kind of binding throws. */
const errors: Record<Kind, readonly (() => Error)[]> = {
  d1: d1Messages.map((message) => () => d1Error(message)),
  kv: [
    () => new Error("KV GET failed: 500 Internal Server Error"),
    () => new Error("KV PUT failed: 429 Too Many Requests"),
    () => new Error(connectionLost),
  ],
  object: [
    () =>
      objectError("Durable Object is overloaded. Requests queued for too long.", {
        overloaded: true,
      }),
    () =>
      objectError("Cannot resolve Durable Object due to transient issue on remote node.", {
        retryable: true,
      }),
    () => objectError(connectionLost, { retryable: true }),
    () => objectError("Durable Object reset because its code was updated.", { retryable: true }),
    () => objectError(internalError, {}),
    () => new Error(neverResponds),
  ],
  limit: [() => new Error(internalError), () => new Error(connectionLost)],
};

/** A fault with one of the errors of the kind; `turn` selects it. */
export function errorFault(
  kind: Kind,
  mode: "fails_before" | "fails_after",
  turn: number,
): ErrorFault {
  const makeError = errors[kind][turn % errors[kind].length];
  if (!makeError) throw new Error(`${kind} has no errors.`);
  return { mode, error: makeError() };
}

type CallBinding = <T>(kind: Kind, method: string, run: () => Promise<T>) => Promise<T>;

export interface FaultyBindings {
  bindings: Bindings;
  /** The calls so far. */
  calls: Call[];
  /** How many calls had a fault. */
  faultCount: () => number;
  /** Waits until no call runs any more, including delayed ones. */
  waitUntilSettled: () => Promise<void>;
}

/** Wraps `env` so that calls fail as `plan` says. */
export function makeFaulty(env: Bindings, plan: Plan): FaultyBindings {
  const calls: Call[] = [];
  const running = new Set<Promise<unknown>>();
  let faults = 0;
  const track = <T>(work: Promise<T>): Promise<T> => {
    const remove = () => running.delete(work);
    running.add(work);
    work.then(remove, remove);
    return work;
  };
  const callBinding: CallBinding = (kind, method, run) => {
    const position = calls.filter((call) => call.kind === kind).length + 1;
    const call = { kind, method, position };
    calls.push(call);
    const fault = plan(call);
    if (!fault) return track(run());
    faults += 1;
    if (fault.mode === "hangs_before") return never();
    if (fault.mode === "hangs_after") return track(run()).then(never);
    if (fault.mode === "fails_then_runs") void track(scheduler.wait(fault.milliseconds).then(run));
    return track(applyFault(fault, run));
  };
  const waitUntilSettled = async () => {
    // A settled call may start the next call at once, so look again.
    do {
      await Promise.allSettled(running);
      await scheduler.wait(0);
    } while (running.size > 0);
  };
  const entries = Object.entries(env).map(([name, binding]) => [name, wrap(binding, callBinding)]);
  return {
    bindings: Object.fromEntries(entries),
    calls,
    faultCount: () => faults,
    waitUntilSettled,
  };
}

const never = () => new Promise<never>(() => {});

type CompletingFault = Exclude<Fault, { mode: "hangs_before" } | { mode: "hangs_after" }>;

async function applyFault<T>(fault: CompletingFault, run: () => Promise<T>): Promise<T> {
  switch (fault.mode) {
    case "fails_before":
      throw fault.error;
    case "fails_after":
      await run();
      throw fault.error;
    case "fails_then_runs":
      throw fault.error;
    case "slow": {
      const result = await run();
      await scheduler.wait(fault.milliseconds);
      return result;
    }
    case "queued":
      await scheduler.wait(fault.milliseconds);
      return run();
  }
}

/** Recognises a binding by its methods, so that new bindings fail too. */
function wrap(binding: unknown, callBinding: CallBinding): unknown {
  if (typeof binding !== "object" || binding === null) return binding;
  if ("prepare" in binding) return wrapDatabase(binding as D1Database, callBinding);
  if ("getByName" in binding) return wrapObjects(binding, callBinding);
  if ("getWithMetadata" in binding) return interceptCalls(binding, "kv", callBinding);
  if ("limit" in binding) return interceptCalls(unlimited, "limit", callBinding);
  return binding;
}

/** Rate limiters that admit every request of the tests. */
const unlimited = { limit: async () => ({ success: true }) };

/** Reports every method call as a call of this kind. `override` may replace a method. */
function interceptCalls<T extends object>(
  binding: T,
  kind: Kind,
  callBinding: CallBinding,
  override: (name: string) => unknown = () => undefined,
): T {
  return new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function" || typeof name !== "string") return value;
      return (
        override(name) ??
        ((...args: unknown[]) =>
          callBinding(kind, name, async () => Reflect.apply(value, target, args) as unknown))
      );
    },
  });
}

/** Looking up an object cannot fail; calls to it can. */
function wrapObjects(objects: object, callBinding: CallBinding): object {
  return new Proxy(objects, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const getObject = (...args: unknown[]) => Reflect.apply(value, target, args) as object;
      if (name !== "get" && name !== "getByName") return getObject;
      return (...args: unknown[]) => interceptCalls(getObject(...args), "object", callBinding);
    },
  });
}

function wrapDatabase(db: D1Database, callBinding: CallBinding): D1Database {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const statement = (original: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = interceptCalls(original, "d1", callBinding, (name) =>
      name === "bind" ? (...values: unknown[]) => statement(original.bind(...values)) : undefined,
    );
    originals.set(wrapped, original);
    return wrapped;
  };
  const queries = <T extends D1Database | D1DatabaseSession>(target: T): T =>
    interceptCalls(target, "d1", callBinding, (name) => {
      switch (name) {
        case "prepare":
          return (text: string) => statement(target.prepare(text));
        case "batch":
          return (statements: D1PreparedStatement[]) =>
            callBinding("d1", name, () =>
              target.batch(statements.map((wrapped) => originals.get(wrapped) ?? wrapped)),
            );
        case "withSession":
          return (from?: string) => queries((target as D1Database).withSession(from));
        case "getBookmark":
          return () => (target as D1DatabaseSession).getBookmark();
        default:
          return undefined;
      }
    });
  return queries(db);
}
