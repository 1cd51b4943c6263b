import { randomBytes } from "node:crypto";
import { homeName } from "#domain/bookmarks.ts";
import { openInstallation } from "./deploy/deployment.ts";
import { removeErasures, saveErasures, storeErasures } from "./deploy/erasures.ts";
import { migrate } from "./deploy/migrate.ts";
import { parseDeploymentOptions } from "./deploy/options.ts";
import { deploy, isPaused, waitUntilHealthy, waitUntilPaused } from "./deploy/publish.ts";
import { queryDatabase } from "./deploy/query.ts";
import { createNamespace, deleteNamespace } from "./deploy/resources.ts";
import { isAssignedId, saveSettings } from "./deploy/settings.ts";
import {
  auditRestores,
  findTargets,
  nextTimeline,
  parseRequest,
  requireMoment,
  settleRestore,
  travel,
} from "./deploy/travel.ts";
import { formatUndoCommand, readRestoreStart, readUndo, removeUndo } from "./deploy/undo.ts";

/**
 * `npm run restore -- --to 2026-11-21T09:30:00Z` restores all databases to that minute. With `--database DATA_01`, it
 * restores only one. The service is paused during the restore. Afterwards, it runs in a new timeline
 * (docs/adr/0010-timelines.md): objects drop data from the databases, cursors become invalid, and versions continue
 * above all earlier ones. Time Travel would undo a marker in a database, so variables identify the timeline. The
 * service repeats the erasures that happened after the restored moment. Migrations run before the deployment, because
 * an older state may lack the newest ones. At the end, the directory of the home database is reconciled with the
 * databases.
 */

const options = parseDeploymentOptions(["env", "account"], { to: "string", database: "string" });
const { environment } = options;
const moment = requireMoment(options.to);
const deployment = await openInstallation(options);
const { settings, cloudflare } = deployment;
const request = parseRequest(settings, moment, options.database);
saveSettings(environment, settings);
// Finds the bookmarks before the pause, so that an invalid time does not interrupt the service.
const targets = await findTargets(deployment, request);

// Another machine may have finished a restore that was interrupted here.
if (!isPaused(deployment)) removeUndo(environment);

process.once("exit", (code) => {
  if (code === 0) return;
  const undo = readUndo(environment);
  console.error(
    undo.size > 0
      ? `The service is paused. Run this command again to finish the restore. ${formatUndoCommand(environment, undo)}`
      : "Nothing was restored, but the service may be paused. Run this command again, or resume with `npm run deploy -- --resume`.",
  );
});
const pausedUrl = await deploy(deployment, {}, ["--var", "PAUSED:true"]);
await waitUntilPaused(pausedUrl);

// Time Travel would bring back data that was erased since.
await saveErasures(deployment, request.time === null ? 0 : Date.parse(request.time));

// Saved before the restore, so that every later deployment uses the new timeline even after an interruption.
const timeline = await nextTimeline(deployment);
settings.vars["RESTORE_EPOCH"] = randomBytes(6).toString("base64url");
settings.vars["RESTORES"] = String(timeline);
saveSettings(environment, settings);

const undo = await travel(deployment, targets);
const names = [...targets.keys()].join(", ");
console.log(`Restored ${names}. ${formatUndoCommand(environment, undo)}`);
for (const { binding } of settings.d1_databases) await migrate(deployment, binding);
for (const note of await settleRestore(deployment)) console.log(note);
const audits = auditRestores(targets.keys(), "npm run restore", readRestoreStart(environment));
await queryDatabase(deployment, homeName, audits.join(";\n"));
const erasureCount = await storeErasures(deployment);
if (erasureCount > 0) console.log(`Erasures since then that the service repeats: ${erasureCount}.`);

const oldNamespaces = settings.kv_namespaces.map(({ id }) => id).filter(isAssignedId);
// The name includes milliseconds, because a quick restore can follow another one within a second.
const stamp = new Date().toISOString().replaceAll(/\D/g, "");
for (const namespace of settings.kv_namespaces) {
  const title = `${settings.name}-${namespace.binding.toLowerCase()}-${stamp}`;
  namespace.id = await createNamespace(cloudflare, title);
}
const url = await deploy(deployment);
for (const id of oldNamespaces) await deleteNamespace(cloudflare, id);
const isHealthy = await waitUntilHealthy(url);
const outcome = isHealthy ? "Responds" : "Should respond within minutes";
removeErasures(environment);
removeUndo(environment);
console.log(`${outcome} at ${url}. ${names}: as of ${request.time ?? "these bookmarks"}.
${formatUndoCommand(environment, undo)}`);
