import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArguments } from "../src/dev/command.ts";
import { stop } from "../src/dev/deploy/wrangler.ts";

/** Runs an example of this repository. Handles `--help`, so the programs need no code for it. */

interface Example {
  program: string;
  purpose: string;
  /** The arguments and environment variables of the program, one on each line. */
  inputs: string[];
  options?: string[];
  maxArguments?: number;
}

const token = "a personal token, or an access token of an API client";

const examples: Record<string, Example> = {
  "import-countries": {
    program: "import-countries/import.ts",
    purpose: "Imports every country into an app. You can stop it and run it again at any time.",
    inputs: [
      "--url URL            URL of the service; default: http://127.0.0.1:8787",
      "--app KEY            key of the app, which the import creates; default: countries",
      `EDGE_FORMS_TOKEN     ${token}`,
    ],
    options: ["url", "app"],
  },
  "night-job": {
    program: "night-job/run.ts",
    purpose: "Stores each order of a day once in the app orders, however often you run it.",
    inputs: [
      "EDGE_FORMS_URL       URL of the service; default: http://127.0.0.1:8787",
      `EDGE_FORMS_TOKEN     ${token}`,
    ],
  },
  "two-way-sync": {
    program: "two-way-sync/sync.ts",
    purpose: "Keeps a table of a SQLite file and the app parts the same, until you stop it.",
    inputs: [
      "FILE                 the SQLite file; default: parts.db",
      "EDGE_FORMS_URL       URL of the service",
      `EDGE_FORMS_TOKEN     ${token}`,
    ],
    maxArguments: 1,
  },
  "typed-client": {
    program: "typed-client/run.ts",
    purpose: "Creates, lists and finds purchase requests through the client, with generated types.",
    inputs: [
      "URL                  URL of the service; default: http://127.0.0.1:8787",
      `TOKEN                ${token}`,
    ],
  },
  "plain-fetch": {
    program: "plain-fetch/run.ts",
    purpose: "Creates, changes and lists orders with fetch alone.",
    inputs: [
      "URL                  URL of the service; default: http://127.0.0.1:8787",
      `TOKEN                ${token}`,
    ],
  },
};

const [name = ""] = process.argv.splice(2, 1);
const example = examples[name];
if (!example) stop(`Unknown example '${name}'. Examples: ${Object.keys(examples).join(", ")}.`);
const { purpose, inputs, options = [], maxArguments = 0 } = example;
const program = join(import.meta.dirname, example.program);
parseArguments(
  `Usage: npm run -s example:${name}\n\n${purpose}\n\n  ${inputs.join("\n  ")}`,
  Object.fromEntries(options.map((option) => [option, { type: "string" }] as const)),
  maxArguments,
);
if (name !== "plain-fetch") {
  const { status } = spawnSync("npm", ["run", "-s", "client"], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
process.argv[1] = program;
await import(program);
