import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { queryDatabase } from "./resources.ts";
import { settingsFileOf, type Settings, withSecretsFile, type Secrets } from "./settings.ts";
import { runWrangler, stop } from "./wrangler.ts";

/**
 * Migrates every database, then deploys. This order is safe, because the previous version works with every migration.
 * Stops before the deployment if a database lacks one.
 */
export function migrateAndDeploy(
  environment: string,
  settings: Settings,
  secrets: Secrets = {},
): { url: string; hasOwner: boolean } {
  const memberCounts = settings.d1_databases.map(({ binding }) => migrate(environment, binding));
  return { url: deploy(environment, settings, secrets), hasOwner: memberCounts.some(Boolean) };
}

/** Applies the missing migrations of a database. Stops if it then lacks one. Returns its number of members. */
export function migrate(environment: string, binding: string): number {
  const state = readState(environment, binding);
  if (state.missing.length === 0) {
    console.log(`${binding}: No migrations to apply.`);
    return state.members;
  }
  const config = ["--config", settingsFileOf(environment)];
  runWrangler(["d1", "migrations", "apply", binding, "--remote", ...config]);
  const { missing, members } = readState(environment, binding);
  if (missing.length > 0)
    stop(`${binding} still lacks ${missing.join(", ")}. Run the same command again.`);
  return members;
}

/** The migrations that a database lacks, and its number of members. One query reads both, because each takes a second. */
function readState(environment: string, binding: string) {
  const sql = "SELECT name, (SELECT count(*) FROM member) AS members FROM d1_migrations";
  // A new database has none of these tables.
  const { results } = queryDatabase<{ name: string; members: number }>(
    environment,
    binding,
    sql,
    /no such table/,
  );
  const applied = new Set(results.map(({ name }) => name));
  const missing = readdirSync("migrations").filter(
    (name) => name.endsWith(".sql") && !applied.has(name),
  );
  return { missing, members: results[0]?.members ?? 0 };
}

/** Deploys the Worker without migrations. Returns its URL. */
export function deploy(
  environment: string,
  settings: Settings,
  secrets: Secrets = {},
  options: readonly string[] = [],
): string {
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const output = join(folder, "output.ndjson");
  const command = ["deploy", "--config", settingsFileOf(environment), ...options];
  const runCommand = (secretOptions: string[]) =>
    runWrangler([...command, ...secretOptions], { WRANGLER_OUTPUT_FILE_PATH: output });
  if (Object.keys(secrets).length === 0) runCommand([]);
  else withSecretsFile(secrets, (path) => runCommand(["--secrets-file", path]));
  return settings.vars["ORIGIN"] || findWorkerUrl(readFileSync(output, "utf8"));
}

/** Finds the Worker's URL in wrangler's output, which has one JSON object per line. A target is a URL or a host. */
function findWorkerUrl(output: string): string {
  const entries = output
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string; targets?: string[] });
  const target = entries
    .find(({ type }) => type === "deploy")
    ?.targets?.find((each) => each.startsWith("https://") || each.includes(".workers.dev"));
  if (!target)
    stop("The Worker has no URL. Set one with --domain, or register a workers.dev subdomain.");
  return target.startsWith("https://") ? target : `https://${target}`;
}

const maxWaitMs = 60_000;

/** Waits until the Worker, its database, its cache and its objects respond. Prints the last response on a timeout. */
export async function waitUntilHealthy(url: string): Promise<boolean> {
  const failure = await waitForResponse(`${url}/health?deep`, ({ ok }) => ok);
  if (failure === undefined) return true;
  console.error(`${url}/health?deep is not healthy yet: ${failure}`);
  return false;
}

/** How long requests that began before a pause may still run. */
const drainMs = 15_000;

/** Waits until the Worker answers 503, and until earlier requests have ended. Stops on a timeout: the Worker may write. */
export async function waitUntilPaused(url: string): Promise<void> {
  const failure = await waitForResponse(`${url}/health`, ({ status }) => status === 503);
  if (failure !== undefined) {
    const reason = `${url}/health does not return 503 yet: ${failure}.`;
    stop(`${reason} Nothing was restored. Run the same command again.`);
  }
  await new Promise((resolve) => setTimeout(resolve, drainMs));
}

/** Waits for an expected response. On a timeout, returns the last response or error. */
async function waitForResponse(
  url: string,
  isExpected: (response: Response) => boolean,
): Promise<string | undefined> {
  const deadline = Date.now() + maxWaitMs;
  let failure = "no response";
  do {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
      failure = `${response.status} ${await response.text()}`.trim();
      if (isExpected(response)) return undefined;
    } catch (error) {
      failure = String((error as Error).cause ?? error);
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  } while (Date.now() < deadline);
  return failure;
}
