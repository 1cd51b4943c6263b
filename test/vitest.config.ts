import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { DocumentedHappens, isHappening } from "./happened.ts";
import { reporters } from "./reporters.ts";

const root = new URL("..", import.meta.url).pathname;

export default defineConfig({
  root,
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: `${root}wrangler.toml` },
      miniflare: {
        // Tests make in seconds what people make in days.
        ratelimits: { CHANGES: { namespace_id: "1004", simple: { limit: 1_000_000, period: 60 } } },
        // They stand in for replicas of the database.
        d1Databases: { REPLICA_A: "replica-a", REPLICA_B: "replica-b" },
        // Nothing that a test does reaches the network; receivers of webhooks answer, unless a test has one of its own.
        outboundService: () => new Response("taken"),
        bindings: {
          TOKEN_SECRET: "a secret of the tests,an older one",
          SETUP_SECRET: "set-up secret of the tests",
          // How many submissions the costs of searches are counted at.
          SCALE: process.env["SCALE"] ?? "30000",
          // How many random cases each fuzz test tries, and from which seed; any where it is empty.
          FUZZ: process.env["FUZZ"] ?? "150",
          FUZZ_SEED: process.env["FUZZ_SEED"] ?? "",
          // How many random acts are tried while a fifth of all calls fails.
          FAULTS: process.env["FAULTS"] ?? "100",
          // How many changes one webhook tells while its receiver fails and recovers.
          WEBHOOK_CHANGES: process.env["WEBHOOK_CHANGES"] ?? "300",
          // How many histories are played over replicas that lag.
          HISTORIES: process.env["HISTORIES"] ?? "80",
          MIGRATIONS: await readD1Migrations(`${root}migrations`),
        },
      },
    })),
  ],
  test: {
    ...reporters("workerd", new DocumentedHappens()),
    include: ["test/**/*.test.ts"],
    exclude: ["test/dev/**", "test/browser/**"],
    setupFiles: ["test/support/migrate.ts"],
    // The log of requests has its own test; here it would bury what failed.
    onConsoleLog: (log) => !isHappening(log) && !/^{"event":"(request|mended)"/.test(log),
    // As many files at a time as there are cores of the smallest machine: each has a runtime of its own.
    maxWorkers: 2,
    // Tests that run beside each other wait most of their time, for what was made to fail.
    maxConcurrency: 8,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
