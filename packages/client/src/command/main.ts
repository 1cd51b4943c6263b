#!/usr/bin/env node
import { parseArgs } from "node:util";
import { apply } from "./apply.ts";
import { exportAll } from "./export.ts";
import { Failure, plain, say, sentenceOf } from "./failure.ts";
import { helpOf, usage } from "./help.ts";
import { importAll } from "./import.ts";
import { planOf, showPlan } from "./plan.ts";
import { connect } from "./service.ts";

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;
const chosen = { apps: text, forms: text, help: flag };

/** Each command with its own options, to its exit code. */
const commands: Record<string, (args: string[]) => Promise<number>> = {
  export: async (args) => {
    const { folder, values, service } = read(args, { ...chosen, items: flag });
    await exportAll(service, folder, values);
    return 0;
  },
  plan: async (args) => {
    const { folder, values, service } = read(args, chosen);
    const plan = await planOf(service, folder, values);
    showPlan(plan);
    return plan.steps.length > 0 ? 2 : 0;
  },
  apply: async (args) => {
    const { folder, values, service } = read(args, { ...chosen, yes: flag });
    await apply(service, folder, values);
    return 0;
  },
  import: async (args) => {
    const { folder, values, service } = read(args, { ...chosen, by: text, append: flag });
    return (await importAll(service, folder, values)) ? 0 : 2;
  },
};

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

function read<T extends Options>(args: string[], options: T) {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [folder = ".", ...more] = positionals;
  if (more.length > 0) throw new Failure(`One directory is enough; "${more[0]}" is another.`);
  return { folder, values, service: connect(process.env) };
}

async function main([name = "", ...args]: string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const asked = [name, ...args].some((each) => each === "--help" || each === "-h");
  if (asked || name === "help") {
    say((command && helpOf[name]) ?? usage);
    return 0;
  }
  if (!command) {
    const known = Object.keys(commands).join(", ");
    throw new Failure(
      `${name === "" ? "Say a command" : `"${name}" is none`}: ${known}. See --help.`,
    );
  }
  return command(args);
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`edge-forms: ${plain(sentenceOf(error))}\n`);
    process.exitCode = 1;
  },
);
