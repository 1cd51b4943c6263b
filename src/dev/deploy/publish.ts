import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireNoNewDatabase, type Deployment } from "./deployment.ts";
import { migrate } from "./migrate.ts";
import { withSecretsFile, type Secrets } from "./secrets.ts";
import { saveSettings, settingsFileOf } from "./settings.ts";
import { formatUndoCommand, readUndo } from "./undo.ts";
import { runWrangler, stop } from "./wrangler.ts";

/**
 * Migrates every database, then deploys. This order is safe, because the previous version works with every migration.
 * Stops before the deployment if a database lacks a migration, or if the deployment would unbind a database.
 */
export async function migrateAndDeploy(
  deployment: Deployment,
  secrets: Secrets = {},
): Promise<{ url: string; hasOwner: boolean }> {
  let memberCount = 0;
  for (const { binding } of deployment.settings.d1_databases)
    memberCount += await migrate(deployment, binding);
  await requireNoNewDatabase(deployment);
  return { url: await deploy(deployment, secrets), hasOwner: memberCount > 0 };
}

export const isPaused = ({ live }: Deployment): boolean => live?.vars["PAUSED"] === "true";

/** Stops while a restore has paused the service. The restore may not have finished its work on the databases. */
export function requireRunning(deployment: Deployment): void {
  if (!isPaused(deployment)) return;
  requireNothingRestored(deployment);
  stop(
    "A restore has paused this service. Run the same `npm run restore` command again to finish it. If nothing was " +
      "restored, resume with `npm run deploy -- --resume`.",
  );
}

/** Stops if a restore that began on this machine has restored a database but is incomplete. */
export function requireNothingRestored(deployment: Deployment): void {
  const undo = readUndo(deployment.environment);
  if (!isPaused(deployment) || undo.size === 0) return;
  stop(
    `A restore has paused this service, and has restored ${[...undo.keys()].join(", ")}. Run the same ` +
      `\`npm run restore\` command again to finish it. ${formatUndoCommand(deployment.environment, undo)}`,
  );
}

/** Deploys the Worker without migrations. Returns its URL. */
export async function deploy(
  { environment, settings }: Deployment,
  secrets: Secrets = {},
  options: readonly string[] = [],
): Promise<string> {
  saveSettings(environment, settings);
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const output = join(folder, "output.ndjson");
  const command = ["deploy", "--config", settingsFileOf(environment), ...options];
  const runCommand = (secretOptions: string[]) =>
    runWrangler([...command, ...secretOptions], { WRANGLER_OUTPUT_FILE_PATH: output });
  console.log("Uploading the Worker. This can take a minute.");
  if (Object.keys(secrets).length === 0) await runCommand([]);
  else await withSecretsFile(secrets, (path) => runCommand(["--secrets-file", path]));
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

/** The maximum time for which requests from before a pause may still run. */
const drainMs = 15_000;

/**
 * Waits until the Worker returns 503 and earlier requests have ended. Stops on a timeout, because the Worker may still
 * write.
 */
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
