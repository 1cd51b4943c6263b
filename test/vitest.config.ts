import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { bundleModules, bundleRules } from "./bundled-modules.ts";
import { DocumentedHappens, isHappening } from "./documented-events.ts";
import { LongestFirst } from "./longest-first.ts";
import {
  browserFiles,
  isolatedFiles,
  longFiles,
  processFiles,
  sizedFiles,
  smokeFiles,
  unitFiles,
} from "./projects.ts";
import { runNearestTests } from "./nearest-tests.ts";
import { reporters } from "./reporters.ts";
import type { Tier } from "./run-options.ts";
import { keepSpareRuntime } from "./spare-runtime.ts";

const root = new URL("..", import.meta.url).pathname;

/** `all`: every project at full size. `rest`: what `npm test` leaves out. Otherwise small sizes (test/run-options.ts). */
const tier = (process.env["TIER"] ?? "quick") as Tier;
const isRest = tier === "rest";

/** An environment variable of this name, or the size of the tier. */
const size = (name: string, sizes: Record<Tier, string>) => process.env[name] ?? sizes[tier];

const secrets = {
  TOKEN_SECRET: "a secret of the tests,an older one",
  SETUP_SECRET: "set-up secret of the tests",
};
// Wrangler warns for each runtime that the required secrets are missing. Here they are bindings.
process.env["WRANGLER_LOG"] ??= "error";

const inWorkerd = () => [
  bundleModules(root),
  cloudflareTest(async () => ({
    wrangler: { configPath: `${root}wrangler.toml` },
    // workerd would report each object that the cleanup after a file stops. With VERBOSE, it shows stacks in objects too.
    verbose: process.env["VERBOSE"] !== undefined,
    miniflare: {
      modulesRules: await bundleRules(root),
      // Tests make as many changes in seconds as people make in days.
      ratelimits: { CHANGES: { namespace_id: "1004", simple: { limit: 1_000_000, period: 60 } } },
      // The replica databases simulate read replicas.
      d1Databases: {
        REPLICA_A: "replica-a",
        REPLICA_B: "replica-b",
        // With DATABASES=2, collections have a database of their own.
        ...(process.env["DATABASES"] === "2" ? { DATA_01: "data-01" } : {}),
      },
      // The bucket of a jurisdiction, which tests bind as FILES_EU.
      r2Buckets: { OTHER_FILES: "other-files" },
      // No test reaches the network. This default receiver accepts every webhook delivery.
      outboundService: () => new Response("taken"),
      bindings: {
        ...secrets,
        // The number of submissions in the tests that count the cost of searches.
        SCALE: process.env["SCALE"] ?? "30000",
        // The number of random cases per fuzz test, and their seed. An empty seed means a random one.
        FUZZ: size("FUZZ", { quick: "10", rest: "90", all: "100" }),
        FUZZ_SEED: process.env["FUZZ_SEED"] ?? "",
        // The number of random aggregates that a model computes too.
        AGGREGATES: size("AGGREGATES", { quick: "100", rest: "1000", all: "1000" }),
        // The number of changes that one webhook delivers while its receiver fails and recovers.
        WEBHOOK_CHANGES: process.env["WEBHOOK_CHANGES"] ?? "210",
        // Reports follow a response by seconds. Shorter delays keep tests fast.
        // A hash at full cost takes 250 ms.
        PASSWORD_COST: { N: 4, r: 1, p: 1 },
        TIMEOUTS: { refusedReportMs: 30, servedReportMs: 60 },
        MIGRATIONS: await readD1Migrations(`${root}migrations`),
      },
    },
  })),
];

/** Starting a runtime for each file would cost 2 seconds of CPU. Instead, each file starts with empty storage. */
const workerd = {
  isolate: false,
  setupFiles: ["test/support/setup.ts"],
  // Concurrent tests spend most of their time waiting for simulated failures. At full size, they keep the cores busy.
  maxConcurrency: tier === "quick" ? 16 : 8,
  // Four files of the rest share two cores.
  testTimeout: isRest ? 60_000 : 30_000,
  hookTimeout: isRest ? 60_000 : 30_000,
};
/** `npm test` leaves out two projects (test/run-options.ts), whose files run beside those of the same kind in `test:rest`. */
const long = (include: string[], isolate: boolean) => ({
  plugins: inWorkerd(),
  test: { ...workerd, include, isolate },
});
const inNodeOrBuilt = [...unitFiles, ...processFiles, ...browserFiles, ...smokeFiles];

/** Files share modules, such as Playwright and Miniflare, whose loading would cost a second of CPU for each file. */
const processes = {
  isolate: false,
  env: { WRANGLER_LOG: "log" },
  testTimeout: 180_000,
  hookTimeout: 180_000,
};
/** The client, the bundle and the demo are built before the first file. */
const built = { ...processes, globalSetup: "test/dev/built.ts" };

const projects: Record<string, TestProjectInlineConfiguration> = {
  unit: {
    plugins: [runNearestTests(root)],
    // workerd has base64 methods of typed arrays, which Node 24 has behind a flag.
    test: {
      include: isRest ? sizedFiles.unit : unitFiles,
      isolate: false,
      execArgv: ["--js-base-64"],
      testTimeout: 30_000,
    },
  },
  worker: {
    plugins: [...inWorkerd(), keepSpareRuntime(root)],
    test: {
      ...workerd,
      ...(isRest
        ? { include: [...sizedFiles.worker, ...longFiles.worker] }
        : {
            include: ["test/**/*.test.ts"],
            exclude: [...inNodeOrBuilt, ...isolatedFiles, ...longFiles.worker],
          }),
    },
  },
  isolated: {
    plugins: inWorkerd(),
    test: {
      ...workerd,
      isolate: true,
      ...(isRest
        ? { include: longFiles.isolated }
        : { include: isolatedFiles, exclude: longFiles.isolated }),
    },
  },
  ...(isRest
    ? {}
    : {
        long: long(longFiles.worker, false),
        "long-isolated": long(longFiles.isolated, true),
        smoke: {
          test: { ...processes, include: smokeFiles, globalSetup: "test/smoke/built.ts" },
        },
      }),
  process: { test: { ...built, include: processFiles } },
  browser: { test: { ...built, include: browserFiles, testTimeout: 60_000 } },
};

export default defineConfig({
  root,
  server: { watch: { ignored: ["**/dist/tests/**"] } },
  test: {
    ...(isRest ? reporters("rest") : reporters("tests", new DocumentedHappens())),
    onConsoleLog: (log) => !isHappening(log),
    sequence: { sequencer: LongestFirst },
    // The smallest machine has two cores. A file keeps less than one of them busy, and those of the rest less than half of one.
    maxWorkers: isRest ? 4 : 3,
    projects: Object.entries(projects).map(([name, { test, ...config }]) => ({
      root,
      ...config,
      test: { ...test, name, provide: { tier } },
    })),
  },
});
