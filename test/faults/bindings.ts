/** The bindings of the service, made to fail as a plan says. */

const kinds = ["d1", "kv", "object", "limit"] as const;
export type Kind = (typeof kinds)[number];

/** Something that the service asks of a binding. */
export interface Call {
  kind: Kind;
  /** `batch`, `get`, `admit` and so on. */
  method: string;
  /** Its place among the calls of its kind, from 1. */
  place: number;
}

interface Failing {
  how: "unmade" | "unanswered";
  error: Error;
}

/** How a call can go wrong. */
export type Fault =
  /** It fails: before it is made, or after it was made, so that what it did is done and not answered. */
  | Failing
  /** It fails, and is made all the same a while later: it was under way when the connection broke. */
  | { how: "astray"; error: Error; milliseconds: number }
  /** The answer comes late; or the call itself waits in a queue, and is made when nobody waits for it any more. */
  | { how: "late" | "overdue"; milliseconds: number }
  /** Neither an answer nor an error ever comes: of a call that was never made, or of one that was. */
  | { how: "lost" }
  | { how: "silent" };

/** What goes wrong with a call, if anything does. */
export type Plan = (call: Call) => Fault | undefined;

export const nothing: Plan = () => undefined;

/** The call at this place fails, or all calls of the kind. */
export function at(kind: Kind, place: number | "every", fault: () => Fault): Plan {
  return (call) =>
    call.kind === kind && (place === "every" || call.place === place) ? fault() : undefined;
}

/** The first of these plans that has something for the call. */
export function either(...plans: Plan[]): Plan {
  return (call) => {
    for (const plan of plans) {
      const fault = plan(call);
      if (fault) return fault;
    }
    return undefined;
  };
}

/** A part of all calls fails, from 0 to 1. */
export function part(random: () => number, share: number, fault: (call: Call) => Fault): Plan {
  return (call) => (random() < share ? fault(call) : undefined);
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function oneOf<T>(random: () => number, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

/** D1 has no codes: a message, which its `cause` has without the prefix. */
export function d1Error(message: string): Error {
  return new Error(message, { cause: new Error(message.replace(/^D1_ERROR: /, "")) });
}

function objectError(message: string, told: { overloaded?: true; retryable?: true }): Error {
  return Object.assign(new Error(message), { remote: true }, told);
}

const cut = "Network connection lost.";
const unknown = "internal error; reference = abc123";
const silence =
  "The Workers runtime canceled this request because it detected that your Worker's code had hung and would never generate a response.";

/** What D1 says of faults that pass: with none of them is anything wrong with the request or the service. */
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

/** A message that tells of a defect: of a migration that was not applied. */
export const defect = "D1_ERROR: no such table: item";

/** The errors of each kind of binding, made anew as they are thrown. */
const errors: Record<Kind, readonly (() => Error)[]> = {
  d1: d1Messages.map((message) => () => d1Error(message)),
  kv: [
    () => new Error("KV GET failed: 500 Internal Server Error"),
    () => new Error("KV PUT failed: 429 Too Many Requests"),
    () => new Error(cut),
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
    () => objectError(cut, { retryable: true }),
    () => objectError("Durable Object reset because its code was updated.", { retryable: true }),
    () => objectError(unknown, {}),
    () => new Error(silence),
  ],
  limit: [() => new Error(unknown), () => new Error(cut)],
};

/** Faults of a kind, each error in its turn. */
export function failing(kind: Kind, how: "unmade" | "unanswered", turn: number): Failing {
  const make = errors[kind][turn % errors[kind].length];
  if (!make) throw new Error(`${kind} has no errors.`);
  return { how, error: make() };
}

type Asked = <T>(kind: Kind, method: string, make: () => Promise<T>) => Promise<T>;

export interface Faulty {
  bindings: Bindings;
  /** What was asked so far. */
  calls: Call[];
  /** How many of the calls went wrong. */
  struck: () => number;
  /** Waits until all has happened that the calls so far will ever do. */
  settled: () => Promise<void>;
}

/** These bindings, on which calls go wrong as `plan` says. */
export function faulty(env: Bindings, plan: Plan): Faulty {
  const calls: Call[] = [];
  const underWay = new Set<Promise<unknown>>();
  let struck = 0;
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const over = () => underWay.delete(work);
    underWay.add(work);
    work.then(over, over);
    return work;
  };
  const asked: Asked = (kind, method, make) => {
    const place = calls.filter((call) => call.kind === kind).length + 1;
    const call = { kind, method, place };
    calls.push(call);
    const fault = plan(call);
    if (!fault) return tracked(make());
    struck += 1;
    if (fault.how === "lost") return never();
    if (fault.how === "silent") return tracked(make()).then(never);
    if (fault.how === "astray") void tracked(scheduler.wait(fault.milliseconds).then(make));
    return tracked(wronged(fault, make));
  };
  const settled = async () => {
    // What follows upon an answer is asked at once.
    do {
      await Promise.allSettled(underWay);
      await scheduler.wait(0);
    } while (underWay.size > 0);
  };
  const wrapped = Object.entries(env).map(([name, binding]) => [name, wrap(binding, asked)]);
  return { bindings: Object.fromEntries(wrapped), calls, struck: () => struck, settled };
}

const never = () => new Promise<never>(() => {});

type Answering = Exclude<Fault, { how: "lost" } | { how: "silent" }>;

async function wronged<T>(fault: Answering, make: () => Promise<T>): Promise<T> {
  switch (fault.how) {
    case "unmade":
      throw fault.error;
    case "unanswered":
      await make();
      throw fault.error;
    case "astray":
      throw fault.error;
    case "late": {
      const answer = await make();
      await scheduler.wait(fault.milliseconds);
      return answer;
    }
    case "overdue":
      await scheduler.wait(fault.milliseconds);
      return make();
  }
}

/** A binding is known by what can be asked of it, so that one that is added fails too. */
function wrap(binding: unknown, asked: Asked): unknown {
  if (typeof binding !== "object" || binding === null) return binding;
  if ("prepare" in binding) return faultyDatabase(binding as D1Database, asked);
  if ("getByName" in binding) return faultyObjects(binding, asked);
  if ("getWithMetadata" in binding) return everyCall(binding, "kv", asked);
  if ("limit" in binding) return everyCall(roomy, "limit", asked);
  return binding;
}

/** Limits per address and account, with room for all that tests send. */
const roomy = { limit: async () => ({ success: true }) };

/** `change` may give another value for a name; all other functions are calls of this kind. */
function everyCall<T extends object>(
  binding: T,
  kind: Kind,
  asked: Asked,
  change: (name: string) => unknown = () => undefined,
): T {
  return new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function" || typeof name !== "string") return value;
      return (
        change(name) ??
        ((...sent: unknown[]) =>
          asked(kind, name, async () => Reflect.apply(value, target, sent) as unknown))
      );
    },
  });
}

/** Objects are named without being asked; what is asked of one can fail. */
function faultyObjects(objects: object, asked: Asked): object {
  return new Proxy(objects, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const named = (...sent: unknown[]) => Reflect.apply(value, target, sent) as object;
      if (name !== "get" && name !== "getByName") return named;
      return (...sent: unknown[]) => everyCall(named(...sent), "object", asked);
    },
  });
}

function faultyDatabase(db: D1Database, asked: Asked): D1Database {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const statement = (original: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = everyCall(original, "d1", asked, (name) =>
      name === "bind" ? (...values: unknown[]) => statement(original.bind(...values)) : undefined,
    );
    originals.set(wrapped, original);
    return wrapped;
  };
  const queries = <T extends D1Database | D1DatabaseSession>(on: T): T =>
    everyCall(on, "d1", asked, (name) => {
      switch (name) {
        case "prepare":
          return (text: string) => statement(on.prepare(text));
        case "batch":
          return (statements: D1PreparedStatement[]) =>
            asked("d1", name, () =>
              on.batch(statements.map((each) => originals.get(each) ?? each)),
            );
        case "withSession":
          return (from?: string) => queries((on as D1Database).withSession(from));
        case "getBookmark":
          return () => (on as D1DatabaseSession).getBookmark();
        default:
          return undefined;
      }
    });
  return queries(db);
}
