import { basename } from "node:path";
import { parseArgs } from "node:util";
import { firstSentence, printHelp } from "../command.ts";
import { stop } from "./wrangler.ts";

/** The environment of a command, and the settings that its options choose. */
export interface DeploymentOptions {
  /** `production`, or the name of another environment. Each environment is a separate service. */
  environment: string;
  location?: string | undefined;
  jurisdiction?: string | undefined;
  domain?: string | undefined;
  contact?: string | undefined;
  /** The email address of the first owner, who is invited while the service has no member. */
  owner?: string | undefined;
  account?: string | undefined;
}

const environmentPattern = /^[a-z][a-z0-9-]{0,30}$/;
const addressPattern = /^[^\s@]{1,64}@[^\s@]{1,180}$/;
const hostPattern = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const rules = {
  env: [environmentPattern, "a lowercase name of letters, digits and hyphens, like `staging`"],
  location: [/^(weur|eeur|wnam|enam|apac|oc)$/, "one of weur, eeur, wnam, enam, apac, oc"],
  jurisdiction: [/^(eu|us|fedramp)$/, "one of eu, us, fedramp"],
  domain: [hostPattern, "a lowercase host name, like `forms.example.com`"],
  contact: [addressPattern, "an email address"],
  owner: [addressPattern, "an email address, which is invited as the first owner"],
  account: [/^[0-9a-f]{32}$/, "an account ID of 32 hexadecimal digits"],
} as const;

const extraDescriptions: Record<string, string> = {
  resume: "ends the pause of a restore that restored nothing",
  from: "a backup like backup.DB.sql, which fills the databases of a new environment",
  "allow-loss": "starts from a backup even if its files lack apps or forms that moved meanwhile",
  to: "a time like 2026-11-21T09:30:00Z or the bookmarks of an earlier restore; for a move, a database like DATA_02",
  stop: "stops the move of the app or form",
  database: "the only database to restore, by its binding, like DATA_01",
  finish: "removes the old secrets",
  reset: "gives an owner a new password",
  yes: "does what the command otherwise only lists",
  output: "the file to write, with the binding's name before its extension; default: backup.sql",
  bucket: "the bucket of R2 that stores the backup instead; created if it is missing",
  download: "the name of a backup in the bucket, which is written to the folder of --output",
  "part-bytes": "the size of the largest object in the bucket; default: 250000000",
  email: "the owner's address, if there are several owners",
};

/** The first lines of each command's usage, by file name. */
const purposes: Record<string, string> = {
  deploy: `Usage: npm run deploy -- [options]

Creates what is missing at Cloudflare, migrates, and deploys the service. Another run continues after a failure.`,
  rotate: `Usage: npm run rotate -- [options]

Puts a new TOKEN_SECRET in front of the old ones, which still verify tokens.`,
  restore: `Usage: npm run restore -- --to TIME [options]

Restores all databases to an earlier moment. The service is paused in the meantime.`,
  databases: `Usage: npm run databases -- list [options]
       npm run databases -- add (--location NAME | --jurisdiction NAME) [options]
       npm run databases -- move app:KEY|form:KEY (--to BINDING | --stop) [options]

Lists the databases of a deployment, adds one, or moves an app or form to another.`,
  backup: `Usage: npm run backup -- [options]

Exports each database of a deployment, restores the export into a scratch database, and compares the rows.`,
  "reset-owner": `Usage: npm run owner -- --reset [options]

Gives an owner of a deployment a new password, and ends the owner's sessions.`,
};

/** Builds the usage of this command with the allowed values of its options. */
function buildUsage(names: readonly string[]): string {
  const descriptions = { ...extraDescriptions, ...mapDescriptions() };
  const lines = names.map((name) => `  --${name.padEnd(14)}${descriptions[name] ?? ""}`);
  const purpose = purposes[basename(process.argv[1] ?? "", ".ts")] ?? "";
  return [purpose, "", ...lines].join("\n");
}

const mapDescriptions = () =>
  Object.fromEntries(Object.entries(rules).map(([name, [, description]]) => [name, description]));

/** Parses the options of a command. Stops with the allowed values when an option is invalid. */
export function parseDeploymentOptions<T extends string>(
  allowed: readonly (keyof typeof rules)[],
  extraTypes: Record<T, "string" | "boolean">,
  args: readonly string[] = process.argv.slice(2),
): DeploymentOptions & Record<T, string | boolean | undefined> {
  const types = { ...Object.fromEntries(allowed.map((name) => [name, "string"])), ...extraTypes };
  const options = Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, { type: type as "string" | "boolean" }]),
  );
  let values: Record<string, string | boolean | undefined>;
  printHelp(buildUsage(Object.keys(options)));
  try {
    values = parseArgs({ options, args: [...args] }).values;
  } catch (error) {
    stop(`${firstSentence(error)} See --help.`);
  }
  for (const name of allowed) {
    const [pattern, description] = rules[name];
    const value = values[name];
    if (typeof value === "string" && !pattern.test(value))
      stop(`--${name} must be ${description}.`);
  }
  const { env = "production", ...settings } = values;
  return { ...settings, environment: env } as DeploymentOptions &
    Record<T, string | boolean | undefined>;
}
