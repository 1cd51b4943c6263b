import { randomBytes } from "node:crypto";
import { formatBookmarks } from "#domain/bookmarks.ts";
import { parseDeploymentOptions } from "./deploy/options.ts";
import { deploy, migrate, waitUntilHealthy, waitUntilPaused } from "./deploy/publish.ts";
import { saveErasures, storeErasures } from "./deploy/erasures.ts";
import { createNamespace } from "./deploy/resources.ts";
import { settingsFileOf, isAssignedId, saveSettings, loadSettings } from "./deploy/settings.ts";
import { findTargets, nextTimeline, parseRequest, settleRestore, travel } from "./deploy/travel.ts";
import { runWrangler, stop } from "./deploy/wrangler.ts";

/**
 * `npm run restore -- --to 2026-11-21T09:30:00Z` restores all databases to that minute, and with `--database DATA_01` only
 * one. The service is paused in the meantime. Then it serves a new timeline (docs/adr/0010-timelines.md): objects forget
 * what they know of the databases, cursors end, and versions continue above all earlier ones. Time Travel would undo a
 * marker in a database, so variables name the timeline. The service repeats the erasures that came after the restored
 * moment. Migrations run before the deployment, because an older state may lack the newest ones. Then the directory of
 * the home database is made to agree with what the databases have.
 */

const { environment, to, database } = parseDeploymentOptions(["env"], {
  to: "string",
  database: "string",
});
const settings = loadSettings({ environment });
const request = parseRequest(settings, to, database);
if (settings.d1_databases.some(({ database_id: id }) => !isAssignedId(id))) {
  stop(`${settingsFileOf(environment)} has no database. \`npm run deploy\` creates that file.`);
}
saveSettings(environment, settings);
const config = ["--config", settingsFileOf(environment)];
// Finds the bookmarks before the pause, so that an invalid time does not interrupt the service.
const targets = findTargets(environment, request);

process.once("exit", (code) => {
  if (code !== 0)
    console.error(
      "The service may be paused. Run this command again, or `npm run deploy` to resume.",
    );
});
const pausedUrl = deploy(environment, settings, {}, ["--var", "PAUSED:true"]);
await waitUntilPaused(pausedUrl);

// Time Travel would bring back what was erased since.
saveErasures(environment, settings, request.time === null ? 0 : Date.parse(request.time));

// Saved before the restore, so that after an interruption every later deployment serves the new timeline.
const timeline = nextTimeline(environment, settings);
settings.vars["RESTORE_EPOCH"] = randomBytes(6).toString("base64url");
settings.vars["RESTORES"] = String(timeline);
saveSettings(environment, settings);

const undo = formatBookmarks(travel(environment, targets));
console.log(
  `Restored ${[...targets.keys()].join(", ")}. To undo, run: npm run restore -- --env ${environment} --to ${undo}`,
);
for (const { binding } of settings.d1_databases) migrate(environment, binding);
for (const note of settleRestore(environment, settings, targets)) console.log(note);
const erasureCount = storeErasures(environment);
if (erasureCount > 0) console.log(`Erasures since then that the service repeats: ${erasureCount}.`);

const oldNamespaces = settings.kv_namespaces.map(({ id }) => id).filter(isAssignedId);
const stamp = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
for (const namespace of settings.kv_namespaces) {
  const title = `${settings.name}-${namespace.binding.toLowerCase()}-${stamp}`;
  namespace.id = createNamespace(title, config);
}
saveSettings(environment, settings);
const url = deploy(environment, settings);
for (const id of oldNamespaces) {
  const command = ["kv", "namespace", "delete", "--namespace-id", id, "--skip-confirmation"];
  runWrangler([...command, ...config]);
}
const isHealthy = await waitUntilHealthy(url);
const outcome = isHealthy ? "Responds" : "Should respond within minutes";
console.log(`${outcome} at ${url}, as of ${request.time ?? "these bookmarks"}.`);
