import type { FileStore } from "../../src/store/data/file-store.ts";
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createMemory } from "../../src/domain/memory.ts";
import type { BackgroundContext, DataContext } from "../../src/actions/context.ts";
import worker from "../../src/index.ts";
import { workerPorts, workerSettings, type WorkerBindings } from "../../src/platform.ts";
import { createService } from "../../src/service.ts";
import type { Databases } from "../../src/store/db/database.ts";
import { databases as ownDatabases, dataHandle } from "./databases";

/** Calls the Worker with these bindings instead of the suite's own. */
export const serve = (
  request: Request,
  replaced: Partial<WorkerBindings>,
  ctx = createExecutionContext(),
): Promise<Response> => Promise.resolve(worker.fetch(request, { ...env, ...replaced }, ctx));

/** Creates a service with its own memory. */
export const serviceWith = (replaced: Partial<WorkerBindings> = {}) => {
  const bindings = { ...env, ...replaced };
  return createService(workerPorts(bindings), workerSettings(bindings));
};

/** Timeouts that report to objects at once after a response. */
export const reportsAtOnce = { refusedReportMs: 0, servedReportMs: 0 };

const { memory, random, replays, files, ...timing } = serviceWith();

/** The dependencies of actions that a test calls itself: clock, randomness and memory. */
export const outside = { memory, random, timing: { ...timing, random }, now: () => Date.now() };

/** Returns the dependencies of work on stored items that a test runs itself, in an isolate that has just started. */
export const background = (
  databases: Databases = ownDatabases,
): BackgroundContext & { replays: KVNamespace; files: FileStore } => ({
  ...outside,
  replays,
  files,
  memory: createMemory(),
  databases,
});

/** Returns the same dependencies for the data database only. */
export const backgroundOfData = (): DataContext => ({ ...background(), db: dataHandle });
