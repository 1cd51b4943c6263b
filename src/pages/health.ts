import { askDatabase, askReplays } from "#store/home/maintenance.ts";

const parts = ["database", "replays", "objects"] as const;

export interface Checked {
  status: "ok" | "failing";
  /** When this isolate last asked; who asks sooner is told the same. */
  checked_at: string;
  checks: Record<(typeof parts)[number], { status: "ok" | "failing"; milliseconds: number }>;
}

/**
 * Anybody may ask: storage is asked once in `keptFor` by each isolate, however many requests there are; what has not
 * answered within `patience` is failing. In milliseconds; adjustable for tests.
 */
export const bounds = { keptFor: 10_000, patience: 3000 };

/** A result is shared; a promise is not, since it belongs to the request that began it. */
let known: { at: number; checked: Checked } | undefined;
let asking = -Infinity;

/** Asks D1, KV and an object, beside each other; tells which of them do not answer. */
export async function deepHealth(env: Bindings, ctx: Pick<ExecutionContext, "waitUntil">) {
  const fresh = () => known && Date.now() - known.at < bounds.keptFor && known.checked;
  if (!fresh() && Date.now() - asking > bounds.patience) {
    asking = Date.now();
    ctx.waitUntil(check(env).then((checked) => (known = { at: Date.now(), checked })));
  }
  // A little longer than the check may take.
  for (let waits = 0; !fresh() && waits < bounds.patience / 20; waits += 1)
    await scheduler.wait(25);
  return fresh() || silent();
}

/** The check itself did not come back. */
function silent(): Checked {
  const none = { status: "failing", milliseconds: bounds.patience } as const;
  return {
    status: "failing",
    checked_at: new Date().toISOString(),
    checks: { database: none, replays: none, objects: none },
  };
}

async function check(env: Bindings): Promise<Checked> {
  const [database, replays, objects] = await Promise.all([
    timed(async () => askDatabase(env.DB)),
    timed(async () => askReplays(env.REPLAYS)),
    timed(async () => env.GATE.getByName("health").answers()),
  ]);
  const checks = { database, replays, objects };
  const well = parts.every((part) => checks[part].status === "ok");
  return { status: well ? "ok" : "failing", checked_at: new Date().toISOString(), checks };
}

async function timed(ask: () => Promise<void>) {
  const started = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"failing">((resolve) => {
    timer = setTimeout(resolve, bounds.patience, "failing");
  });
  const asked = ask().then(
    () => "ok" as const,
    () => "failing" as const,
  );
  const status = await Promise.race([asked, late]);
  clearTimeout(timer);
  return { status, milliseconds: Date.now() - started };
}
