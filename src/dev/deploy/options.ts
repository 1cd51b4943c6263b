import { parseArgs } from "node:util";
import { stop } from "./wrangler.ts";

/** Which service is meant, and what was chosen for it. */
export interface Chosen {
  /** `production`, or the name of another environment, which is a service of its own. */
  environment: string;
  location?: string | undefined;
  jurisdiction?: string | undefined;
  domain?: string | undefined;
  contact?: string | undefined;
  account?: string | undefined;
}

const environmentName = /^[a-z][a-z0-9-]{0,30}$/;
const hostName = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const rules = {
  env: [environmentName, "a lower-case name of letters, digits and hyphens, like `staging`"],
  location: [/^(weur|eeur|wnam|enam|apac|oc)$/, "one of weur, eeur, wnam, enam, apac, oc"],
  jurisdiction: [/^(eu|us|fedramp)$/, "one of eu, us, fedramp"],
  domain: [hostName, "a host name in lower case, like `forms.example.com`"],
  contact: [/^[^\s@]+@[^\s@]+$/, "an e-mail address"],
  account: [/^[0-9a-f]{32}$/, "the 32 hexadecimal digits of an account's id"],
} as const;

/** Reads the options of a command; what is not understood is named, with what is allowed. */
export function optionsOf<T extends string>(
  allowed: readonly (keyof typeof rules)[],
  own: Record<T, "string" | "boolean">,
): Chosen & Record<T, string | boolean | undefined> {
  const types = { ...Object.fromEntries(allowed.map((name) => [name, "string"])), ...own };
  const options = Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, { type: type as "string" | "boolean" }]),
  );
  let values: Record<string, string | boolean | undefined>;
  try {
    values = parseArgs({ options }).values;
  } catch (error) {
    const names = Object.keys(options).map((name) => `--${name}`);
    stop(`${(error as Error).message}\nOptions: ${names.join(", ")}.`);
  }
  for (const name of allowed) {
    const [pattern, what] = rules[name];
    const value = values[name];
    if (typeof value === "string" && !pattern.test(value)) stop(`--${name} must be ${what}.`);
  }
  const { env = "production", ...chosen } = values;
  return { ...chosen, environment: env } as Chosen & Record<T, string | boolean | undefined>;
}
