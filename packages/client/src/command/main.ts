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
const selectionOptions = { apps: text, forms: text, help: flag };

/** The commands. Each parses its own options and returns its exit code. */
const commands: Record<string, (args: string[]) => Promise<number>> = {
  export: async (args) => {
    const { folder, values, service } = parseCommandLine(args, {
      ...selectionOptions,
      items: flag,
    });
    await exportAll(service, folder, values);
    return 0;
  },
  plan: async (args) => {
    const { folder, values, service } = parseCommandLine(args, selectionOptions);
    const plan = await planOf(service, folder, values);
    showPlan(plan);
    if (plan.invalid.length > 0) return 1;
    return plan.steps.length > 0 ? 2 : 0;
  },
  apply: async (args) => {
    const { folder, values, service } = parseCommandLine(args, { ...selectionOptions, yes: flag });
    await apply(service, folder, values);
    return 0;
  },
  import: async (args) => {
    const { folder, values, service } = parseCommandLine(args, {
      ...selectionOptions,
      by: text,
      append: flag,
    });
    return (await importAll(service, folder, values)) ? 0 : 2;
  },
};

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

function parseCommandLine<T extends Options>(args: string[], options: T) {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [folder = ".", ...extra] = positionals;
  if (extra.length > 0)
    throw new Failure(`Only one directory is allowed, but "${extra[0]}" is another one.`);
  return { folder, values, service: connect(process.env) };
}

async function main([name = "", ...args]: string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const wantsHelp = [name, ...args].some((argument) => argument === "--help" || argument === "-h");
  if (wantsHelp || name === "help") {
    say((command && helpOf[name]) ?? usage);
    return 0;
  }
  if (!command) {
    const problem = name === "" ? "Missing command." : `Unknown command "${name}".`;
    throw new Failure(`${problem} Commands: ${Object.keys(commands).join(", ")}. See --help.`);
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
