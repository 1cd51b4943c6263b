import { memoryPart } from "#domain/memory.ts";
import type { Clock } from "#domain/ports.ts";
import type { Service } from "./service.ts";
import { explainMissingSetUp } from "./set-up.ts";
import { isNearlyFull, shareOfLimit } from "#domain/database-size.ts";
import { pingDatabases, pingReplays } from "#store/home/maintenance.ts";
import { loadReach } from "#store/home/placements.ts";

const components = ["database", "replays", "objects", "files"] as const;

export interface HealthReport {
  status: "ok" | "failing";
  /** The missing parts of the service, and the command that sets them up. */
  reason?: string;
  /** The time when this isolate last ran the checks. Requests share one result for `healthCacheMs`. */
  checked_at: string;
  checks: Record<(typeof components)[number], { status: "ok" | "failing"; milliseconds: number }>;
  /** Each database by its binding. */
  databases: Record<string, DatabaseHealth>;
  /** Problems that an operator will have to fix. They do not make the service fail. */
  warnings: string[];
}

interface DatabaseHealth {
  status: "ok" | "failing";
  /** The used share of D1's limit. Absent for a database that does not respond. */
  percent_full?: number;
}

/** Requests share the result but not the promise, because a promise belongs to the request that created it. */
const healthIn = memoryPart((): Health => ({ startedAt: -Infinity }));

interface Health {
  startedAt: number;
  last?: { at: number; report: HealthReport };
}

/**
 * Checks D1, KV, an object and R2 in parallel. A component without a response within `healthMs` is failing.
 * The endpoint is public, so each isolate checks storage at most once per `healthCacheMs`.
 */
export async function checkHealth(
  service: Service,
  ctx: Pick<ExecutionContext, "waitUntil">,
): Promise<HealthReport> {
  const { clock, memory, timeouts } = service;
  const health = healthIn(memory);
  const findFreshReport = () => {
    const { last } = health;
    return last && clock.now() - last.at < timeouts.healthCacheMs ? last.report : undefined;
  };
  if (!findFreshReport() && clock.now() - health.startedAt > timeouts.healthMs) {
    health.startedAt = clock.now();
    const check = async () => {
      const report = await runChecks(service);
      health.last = { at: clock.now(), report };
    };
    ctx.waitUntil(check());
  }
  // Waits a little longer than the checks may take.
  for (let waits = 0; !findFreshReport() && waits < timeouts.healthMs / 20; waits += 1)
    await clock.sleep(25);
  return findFreshReport() ?? buildTimeoutReport(service);
}

/** Builds the report if the checks themselves did not finish. */
function buildTimeoutReport({ clock, timeouts }: Service): HealthReport {
  const failing = { status: "failing", milliseconds: timeouts.healthMs } as const;
  return {
    status: "failing",
    checked_at: formatNow(clock),
    checks: { database: failing, replays: failing, objects: failing, files: failing },
    databases: {},
    warnings: [],
  };
}

const formatNow = (clock: Clock) => new Date(clock.now()).toISOString();

async function runChecks(service: Service): Promise<HealthReport> {
  let reason = explainMissingSetUp(service);
  const databases: HealthReport["databases"] = {};
  const warnings: string[] = [];
  const [database, replays, objects, files] = await Promise.all([
    timeCheck(service, async () => {
      await checkDatabases(service, databases, warnings).catch((error: unknown) => {
        reason ??= explainMissingSetUp(service, error);
        throw error;
      });
    }),
    timeCheck(service, async () => pingReplays(service.replays)),
    timeCheck(service, async () => service.gates.getByName("health").answers()),
    timeCheck(service, async () => checkBuckets(service, warnings)),
  ]);
  const checks = { database, replays, objects, files };
  const isHealthy = !reason && components.every((name) => checks[name].status === "ok");
  return {
    status: isHealthy ? "ok" : "failing",
    ...(reason === undefined ? {} : { reason }),
    checked_at: formatNow(service.clock),
    checks,
    // A database that responds too late must not change a report that others share.
    databases: { ...databases },
    warnings: [...warnings],
  };
}

/** Checks all buckets in parallel. */
async function checkBuckets({ files, databases }: Service, warnings: string[]): Promise<void> {
  await Promise.all(files.buckets.map(({ bucket }) => bucket.head("health")));
  const home = databases.jurisdictions.get(databases.home.name);
  for (const [name, jurisdiction] of databases.jurisdictions)
    if (jurisdiction !== home && files.areTogether(jurisdiction, null))
      warnings.push(
        `The database ${name} is in "${jurisdiction}", but its files are elsewhere. Run \`npm run deploy\`, which creates a bucket there.`,
      );
}

/** Checks all databases in parallel. A database that has not responded yet counts as failing. */
async function checkDatabases(
  { databases }: Service,
  health: HealthReport["databases"],
  warnings: string[],
): Promise<void> {
  const { home, dataDatabases } = databases;
  for (const { name } of [home, ...dataDatabases()]) health[name] = { status: "failing" };
  const addMissing = async () => {
    for (const name of (await loadReach(databases)).missing)
      warnings.push(
        `The database ${name} is not bound to this version. Deploy a version that has its binding.`,
      );
  };
  const ping = pingDatabases(databases, (name, bytes) => {
    const percent = Math.round(100 * shareOfLimit(bytes));
    health[name] = { status: "ok", percent_full: percent };
    if (isNearlyFull(bytes))
      warnings.push(`The database ${name} is ${percent} % full. Add another, or make room.`);
  });
  await Promise.all([ping, addMissing()]);
}

async function timeCheck({ clock, timeouts }: Service, check: () => Promise<void>) {
  const startedAt = clock.now();
  const timer = clock.timer(timeouts.healthMs);
  const timeoutStatus = timer.done.then(() => "failing" as const);
  const outcome = check().then(
    () => "ok" as const,
    () => "failing" as const,
  );
  const status = await Promise.race([outcome, timeoutStatus]);
  timer.cancel();
  return { status, milliseconds: clock.now() - startedAt };
}
