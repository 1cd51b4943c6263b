import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { experimental_readRawConfig } from "wrangler";
import type { Chosen } from "./options.ts";

interface Binding {
  binding: string;
}

/** What of wrangler's configuration is another for each environment. */
export interface Settings {
  name: string;
  account_id?: string;
  workers_dev: boolean;
  routes?: { pattern: string; custom_domain: true }[];
  vars: Record<string, string>;
  d1_databases: (Binding & { database_name: string; database_id: string })[];
  kv_namespaces: (Binding & { id: string })[];
  ratelimits: { name: string; namespace_id: string; simple: object }[];
}

export const fileOf = (environment: string) => `wrangler.${environment}.json`;

/** wrangler.toml, and above it what the environment's own file has chosen or learned before. */
export function settingsOf(chosen: Chosen): Settings {
  const template = read("wrangler.toml");
  const file = fileOf(chosen.environment);
  const kept: Partial<Settings> = existsSync(file) ? read(file) : {};
  const production = chosen.environment === "production";
  const name = kept.name ?? (production ? template.name : `${template.name}-${chosen.environment}`);
  const account = chosen.account ?? kept.account_id ?? process.env["CLOUDFLARE_ACCOUNT_ID"];
  const settings: Settings = {
    ...template,
    name,
    ...(account ? { account_id: account } : {}),
    ...(kept.routes ? { routes: kept.routes, workers_dev: false } : {}),
    vars: { ...template.vars, ...kept.vars },
    d1_databases: template.d1_databases.map((each) => ({
      ...each,
      database_name: production ? each.database_name : name,
      database_id: idOf(kept.d1_databases, each, production, "database_id"),
    })),
    kv_namespaces: template.kv_namespaces.map((each) => ({
      ...each,
      id: idOf(kept.kv_namespaces, each, production, "id"),
    })),
    ratelimits: production ? template.ratelimits : apart(template, name),
  };
  return withChosen(settings, chosen);
}

function withChosen(settings: Settings, { domain, contact }: Chosen): Settings {
  if (contact) settings.vars["CONTACT_EMAIL"] = contact;
  if (!domain) return settings;
  settings.vars["ORIGIN"] = `https://${domain}`;
  return { ...settings, workers_dev: false, routes: [{ pattern: domain, custom_domain: true }] };
}

/** The file is the environment's memory: it holds ids and choices, and no secret. */
export function keep(environment: string, settings: Settings): void {
  writeFileSync(fileOf(environment), `${JSON.stringify(settings, null, 2)}\n`);
}

function read(path: string): Settings {
  if (path.endsWith(".json")) return JSON.parse(readFileSync(path, "utf8")) as Settings;
  return experimental_readRawConfig({ config: path }).rawConfig as Settings;
}

/** Whether an id is one, or still the placeholder of wrangler.toml. */
export const isKnown = (id: string) => !/^[0-]*$/.test(id);
const noId = "0".repeat(32);

/** The id that was kept, or that somebody has written into wrangler.toml by hand, which is production's. */
function idOf<K extends string, B extends Binding & Record<K, string>>(
  kept: B[] | undefined,
  each: B,
  production: boolean,
  key: K,
): string {
  return (
    kept?.find(({ binding }) => binding === each.binding)?.[key] ?? (production ? each[key] : noId)
  );
}

/** Limiters of one account that have one number count together; environments are to count apart. */
function apart(template: Settings, name: string): Settings["ratelimits"] {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 100_000;
  return template.ratelimits.map((each) => ({
    ...each,
    namespace_id: String(Number(each.namespace_id) + (hash + 1) * 10_000),
  }));
}
