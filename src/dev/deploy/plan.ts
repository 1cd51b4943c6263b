import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Settings } from "./settings.ts";
import { captureWrangler, stop } from "./wrangler.ts";

/** The error code with which Cloudflare rejects a Worker with a CPU limit on the Free plan. */
const freePlanCode = /\bcode: 100328\b/;

/**
 * Stops on the Workers Free plan, before anything is created: hashing a password exceeds its CPU time. Only tokens for
 * billing can read the plan. So this deploys an empty Worker with a CPU limit, which the Free plan rejects, and deletes it.
 * Any other failure is left to the deployment itself.
 */
export function requirePaidPlan({ name, account_id: account, vars }: Settings): void {
  if (vars["ACCESS_TEAM"]) return;
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-plan-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const probe = `${name}-plan-check`;
  const configFile = join(folder, "wrangler.json");
  writeFileSync(join(folder, "probe.js"), "export default { fetch: () => new Response() };\n");
  const config = {
    name: probe,
    main: "probe.js",
    compatibility_date: "2026-10-20",
    workers_dev: false,
    limits: { cpu_ms: 1000 },
    ...(account ? { account_id: account } : {}),
  };
  writeFileSync(configFile, JSON.stringify(config));
  const { succeeded, stdout, stderr } = captureWrangler(["deploy", "--config", configFile]);
  if (freePlanCode.test(stdout + stderr)) stop(freePlanAdvice);
  if (!succeeded) return;
  const deletion = captureWrangler(["delete", "--force", "--config", configFile]);
  if (!deletion.succeeded)
    console.warn(`Delete the Worker ${probe} in the dashboard. It is empty.`);
}

const freePlanAdvice = `This account has the Workers Free plan, on which nobody could sign in: hashing a password takes more CPU time than
it allows. Nothing was created. Either:

  - choose the Workers Paid plan in the dashboard, under Workers & Pages → Plans (from 5 USD a month), or
  - let Cloudflare Access sign members in: set ACCESS_TEAM and ACCESS_AUDIENCE under "vars" in the settings file.

Then run the command again.`;
