import { parseArgs, type ParseArgsConfig } from "node:util";
import { stop } from "./deploy/wrangler.ts";

type OptionsConfig = NonNullable<ParseArgsConfig["options"]>;

/** Parses the options of a command. `--help` prints the usage; an invalid option stops the command with one line. */
export function parseOptions<const Options extends OptionsConfig>(usage: string, options: Options) {
  if (process.argv.slice(2).some((option) => option === "--help" || option === "-h")) {
    console.log(usage.trim());
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return stop(`${firstSentence(error)} See --help.`);
  }
}

/** Node appends advice about positional arguments, which the commands do not take. */
export function firstSentence(error: unknown): string {
  const [sentence = ""] = (error as Error).message.split(/(?<=\.)\s/);
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}
