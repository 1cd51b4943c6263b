import { parseCLI } from "vitest/node";

export const usage = `
Usage: npm test -- [FILE…] [options]

Runs the tests in the given files, or in files whose path contains a given text.
Without one, npm test runs the short tests, and these commands run others:

  npm run test:all      all tests, with random tests at full size
  npm run test:rest     the tests that npm test leaves out
  npm run test:watch    the tests, and after each change the nearest ones
  npm run test:browser  the browser tests

Options:

  -t TEXT               runs only tests whose title contains the text
  -u                    updates the golden files
  --project NAME        unit, worker, isolated, long, long-isolated, smoke, process or browser
  -h, --help            prints this text

Other options are those of Vitest: npx vitest --help
`;

/** Which tests a command runs. `quick` leaves out those that take long, or need processes or browsers. */
export type Tier = "quick" | "all" | "rest";

const own = ["--all", "--rest", "--watch"];

/** Leaves out projects of test/vitest.config.ts. */
export const onlyShort = ["long", "long-isolated", "process", "browser"].map(
  (name) => `--project=!${name}`,
);

/** Parses the options of a command. Returns the tier, and the arguments of Vitest. */
export function parseRun(args: readonly string[], defaultTier: Tier = "quick") {
  const vitestArgs = args.filter((arg) => !own.includes(arg));
  const { filter, options } = parseCLI(["vitest", "run", ...vitestArgs]);
  const tier: Tier = args.includes("--all")
    ? "all"
    : args.includes("--rest")
      ? "rest"
      : defaultTier;
  // A named file runs in whichever project it is.
  const isQuick = tier === "quick" && filter.length === 0 && options.project === undefined;
  return {
    tier,
    vitestArgs: [
      args.includes("--watch") ? "watch" : "run",
      "--config=test/vitest.config.ts",
      ...(isQuick ? onlyShort : []),
      // Few files run again, and each worker would start a runtime.
      ...(args.includes("--watch") ? ["--maxWorkers=1"] : []),
      ...vitestArgs,
    ],
  };
}
