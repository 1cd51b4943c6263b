import { accessError, type AccessSettings } from "#domain/access.ts";
import type { Deployment } from "./deployment.ts";
import type { Settings } from "./settings.ts";
import { stop } from "./wrangler.ts";

/** Whether Cloudflare Access signs members in. */
export const usesAccess = (settings: Pick<Settings, "vars">): boolean =>
  accessOf(settings).team !== "";

const accessOf = ({ vars }: Pick<Settings, "vars">): AccessSettings => ({
  team: vars["ACCESS_TEAM"] ?? "",
  audience: vars["ACCESS_AUDIENCE"] ?? "",
});

/** Stops before a deployment whose administration area would reject everybody. */
export function requireCompleteAccess({ settings }: Pick<Deployment, "settings">): void {
  const error = accessError(accessOf(settings));
  if (error !== undefined) stop(`${error} Nothing was changed. ${accessGuide}`);
}

const accessGuide = "See “Sign in with Cloudflare Access” in docs/administration.md.";

/** The error code with which Cloudflare rejects a Worker with a CPU limit on the Free plan. */
const freePlanCode = 100_328;

/**
 * Stops on the Workers Free plan before creating anything, because hashing a password exceeds its CPU time. Only tokens
 * for billing can read the plan. This therefore uploads an empty Worker with a CPU limit, which the Free plan rejects,
 * and deletes it. The deployment itself handles any other failure.
 */
export async function requirePaidPlan({ settings, cloudflare }: Deployment): Promise<void> {
  if (usesAccess(settings)) return;
  const probe = `${settings.name}-plan-check`;
  const path = `/workers/scripts/${probe}`;
  const metadata = {
    main_module: "probe.js",
    compatibility_date: "2026-10-20",
    limits: { cpu_ms: 1000 },
  };
  const form = new FormData();
  form.set("metadata", new Blob([JSON.stringify(metadata)], { type: "application/json" }));
  const module = "export default { fetch: () => new Response() };\n";
  const type = "application/javascript+module";
  form.set("probe.js", new Blob([module], { type }), "probe.js");
  const upload = await cloudflare.attempt("PUT", path, { body: form });
  if ("error" in upload) {
    if (upload.error.code === freePlanCode) stop(freePlanAdvice);
    return;
  }
  const deletion = await cloudflare.attempt("DELETE", path, { query: { force: "true" } });
  if ("error" in deletion)
    console.warn(`Delete the Worker ${probe} in the dashboard. It is empty.`);
}

const freePlanAdvice = `This account has the Workers Free plan, on which nobody could sign in: hashing a password takes more CPU time than
it allows. Nothing was created. Either:

  - choose the Workers Paid plan in the dashboard, under Workers & Pages → Plans (from 5 USD a month), or
  - let Cloudflare Access sign members in: set ACCESS_TEAM and ACCESS_AUDIENCE under [vars] in wrangler.toml.
    ${accessGuide}

Then run the command again.`;
