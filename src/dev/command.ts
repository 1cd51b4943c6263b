import { parseArgs, type ParseArgsConfig } from "node:util";
import { stop } from "./deploy/wrangler.ts";

type OptionsConfig = NonNullable<ParseArgsConfig["options"]>;

/** Parses the options of a command. `--help` prints the usage. An invalid option stops the command with one line. */
export function parseOptions<const Options extends OptionsConfig>(usage: string, options: Options) {
  return parseArguments(usage, options, 0).values;
}

/** Parses the options of a command that also takes up to `maxPositionals` other arguments. */
export function parseArguments<const Options extends OptionsConfig>(
  usage: string,
  options: Options,
  maxPositionals: number,
) {
  printHelp(usage);
  try {
    const parsed = parseArgs({ options, allowPositionals: maxPositionals > 0 });
    const [extra] = parsed.positionals.slice(maxPositionals);
    if (extra !== undefined) stop(`Unexpected argument '${extra}'. See --help.`);
    return parsed;
  } catch (error) {
    return stop(`${firstSentence(error)} See --help.`);
  }
}

/** Prints the usage and ends the command if the arguments ask for help. */
export function printHelp(usage: string): void {
  if (!process.argv.slice(2).some((option) => option === "--help" || option === "-h")) return;
  console.log(usage.trim());
  process.exit(0);
}

/** Returns the first sentence of an error. Node appends advice about arguments that start with a hyphen. */
export function firstSentence(error: unknown): string {
  const [sentence = ""] = (error as Error).message.split(/(?<=\.)\s/);
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}
