import { ulid } from "ulid";
import type { ScryptCost } from "#domain/credential/passwords.ts";
import type { Timeouts } from "#domain/ports.ts";
import type { Ports } from "#http/service.ts";
import type { ServiceSettings } from "./service.ts";

type Variable =
  | "CONTACT_EMAIL"
  | "ORIGIN"
  | "ACCESS_TEAM"
  | "ACCESS_AUDIENCE"
  // `wrangler dev` without our scripts may lack the secrets.
  | "TOKEN_SECRET"
  | "SETUP_SECRET";

/** The bindings of a Worker. `wrangler types` narrows variables to their values in wrangler.toml. */
export interface WorkerBindings
  extends Omit<Bindings, Variable>, Partial<Record<Variable, string>> {
  // wrangler.toml does not declare the following bindings, so they are optional.
  /** `npm run restore` sets both: the name and the number of the timeline. */
  RESTORE_EPOCH?: string;
  RESTORES?: string;
  /** `npm run restore` sets this to "true" while the database goes back in time. */
  PAUSED?: string;
  /** The deployment tools set this to the jurisdictions of databases, like "DB=eu,DATA_01=us". */
  JURISDICTIONS?: string;
  /** The files of databases in a jurisdiction. Without it, they are in FILES. */
  FILES_EU?: R2Bucket;
  FILES_US?: R2Bucket;
  FILES_FEDRAMP?: R2Bucket;
  /** `npm run dev` sets this to "allowed". */
  LOCAL_RECEIVERS?: string;
  /** Tests and benches replace single timeouts. */
  TIMEOUTS?: Partial<Timeouts>;
  /** Tests make password hashes cheap. */
  PASSWORD_COST?: ScryptCost;
}

/** The data databases, bound as DATA_01 to DATA_99. */
const dataBindings = (env: object): Record<string, D1Database> =>
  Object.fromEntries(
    Object.entries(env)
      .filter(([name, binding]) => /^DATA_\d\d$/.test(name) && binding)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Returns the buckets by jurisdiction. */
const fileBindings = ({ FILES_EU: eu, FILES_US: us, FILES_FEDRAMP: fedramp }: WorkerBindings) => ({
  ...(eu ? { eu } : {}),
  ...(us ? { us } : {}),
  ...(fedramp ? { fedramp } : {}),
});

const parseJurisdictions = (text: string): ReadonlyMap<string, string> =>
  new Map(Array.from(text.matchAll(/(\w+)=(\w+)/g), ([, name = "", place = ""]) => [name, place]));

/** Builds the ports of a Worker. Resolves globals at each call, because benches replace some of them. */
export function workerPorts(env: WorkerBindings): Ports {
  return {
    clock: {
      now: () => Date.now(),
      sleep: (ms) => scheduler.wait(ms),
      timer,
    },
    random: {
      bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      number: () => Math.random(),
      uuid: () => crypto.randomUUID(),
      ulid: (now) => ulid(now),
    },
    subtle: crypto.subtle,
    DB: env.DB,
    DATA: dataBindings(env),
    gates: env.GATE,
    senders: env.HOOKS,
    replays: env.REPLAYS,
    files: env.FILES,
    filesIn: fileBindings(env),
    knownLength(body, bytes) {
      const { readable, writable } = new FixedLengthStream(bytes);
      // The reader gets this error too.
      body.pipeTo(writable).catch(() => undefined);
      return readable;
    },
    limiters: {
      failures: env.FAILURES,
      failuresWide: env.FAILURES_WIDE,
      signIns: env.SIGN_INS,
      signInsWide: env.SIGN_INS_WIDE,
      changes: env.CHANGES,
      fallback: env.FALLBACK,
    },
    assets: { fetch: (request) => env.ASSETS.fetch(request) },
    cache: {
      match: (request, options) => caches.default.match(request, options),
      put: (request, response) => caches.default.put(request, response),
    },
    fetch: (url, init) => fetch(url, init),
    log: (line, level = "log") => console[level](line),
  };
}

function timer(ms: number) {
  let handle: ReturnType<typeof setTimeout> | undefined;
  const done = new Promise<void>((resolve) => {
    handle = setTimeout(resolve, ms);
  });
  return { done, cancel: () => clearTimeout(handle) };
}

export function workerSettings(env: WorkerBindings): ServiceSettings {
  return {
    tokenSecret: env.TOKEN_SECRET ?? "",
    setupSecret: env.SETUP_SECRET ?? "",
    origin: env.ORIGIN ?? "",
    contactEmail: env.CONTACT_EMAIL ?? "",
    access: { team: env.ACCESS_TEAM ?? "", audience: env.ACCESS_AUDIENCE ?? "" },
    isPaused: env.PAUSED === "true",
    timeline: { epoch: env.RESTORE_EPOCH ?? "", restores: Number(env.RESTORES ?? 0) },
    jurisdictions: parseJurisdictions(env.JURISDICTIONS ?? ""),
    allowsLocalReceivers: env.LOCAL_RECEIVERS === "allowed",
    ...(env.TIMEOUTS ? { timeouts: env.TIMEOUTS } : {}),
    ...(env.PASSWORD_COST ? { passwordCost: env.PASSWORD_COST } : {}),
  };
}
