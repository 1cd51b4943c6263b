import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countIn } from "./resources.ts";
import { fileOf, type Settings } from "./settings.ts";
import { withSecretsFile, type Secrets } from "./secrets.ts";
import { run, stop } from "./wrangler.ts";

/** Migrates the database, then deploys: each migration leaves the version before it working. */
export function publish(environment: string, settings: Settings, secrets: Secrets = {}): string {
  const config = ["--config", fileOf(environment)];
  run(["d1", "migrations", "apply", "DB", "--remote", ...config]);
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const output = join(folder, "output.ndjson");
  const deploy = (more: string[]) =>
    run(["deploy", ...config, ...more], { WRANGLER_OUTPUT_FILE_PATH: output });
  if (Object.keys(secrets).length === 0) deploy([]);
  else withSecretsFile(secrets, (path) => deploy(["--secrets-file", path]));
  return settings.vars["ORIGIN"] || addressIn(readFileSync(output, "utf8"));
}

/** wrangler tells what it did in lines of JSON; where the Worker stands is one of them. */
function addressIn(output: string): string {
  const told = output
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string; targets?: string[] });
  const target = told
    .find(({ type }) => type === "deploy")
    ?.targets?.find((each) => each.startsWith("https://") || each.includes(".workers.dev"));
  if (!target) stop("The Worker has no address: give it one with --domain, or a workers.dev name.");
  return target.startsWith("https://") ? target : `https://${target}`;
}

/** Whether anybody can sign in yet. */
export function hasOwner(environment: string): boolean {
  return countIn(environment, "SELECT count(*) AS count FROM member") > 0;
}

const patience = 60_000;

/** Waits until the service says that it, its database, cache and objects answer; tells what does not. */
export async function healthy(url: string): Promise<boolean> {
  const until = Date.now() + patience;
  let last = "no answer";
  do {
    try {
      const answer = await fetch(`${url}/health?deep`, { signal: AbortSignal.timeout(10_000) });
      last = `${answer.status} ${await answer.text()}`;
      if (answer.ok) return true;
    } catch (error) {
      last = String((error as Error).cause ?? error);
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  } while (Date.now() < until);
  console.error(`${url}/health?deep does not say that all is well yet: ${last}`);
  return false;
}
