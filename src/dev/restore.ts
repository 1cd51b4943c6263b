import { randomBytes } from "node:crypto";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { sequencesPerRestore } from "#domain/timeline.ts";
import { parseDeploymentOptions } from "./deploy/options.ts";
import { deploy, waitUntilHealthy, waitUntilPaused, migrateAndDeploy } from "./deploy/publish.ts";
import { saveErasures, storeErasures } from "./deploy/erasures.ts";
import { queryCount, createNamespace } from "./deploy/resources.ts";
import {
  settingsFileOf,
  isAssignedId,
  isDataDatabase,
  saveSettings,
  loadSettings,
} from "./deploy/settings.ts";
import { queryWrangler, runWrangler, stop } from "./deploy/wrangler.ts";

/**
 * `npm run restore -- --to 2026-11-21T09:30:00Z` restores the database to that minute. The service is paused in the meantime.
 * Then it serves a new timeline (docs/adr/0010-timelines.md): objects forget what they know of the database, cursors end,
 * and versions continue above all earlier ones. Time Travel would undo a marker in the database, so variables name the
 * timeline. The service repeats the erasures that came after the restored moment. Migrations run before the deployment, because an older state may lack the newest ones.
 */

const { environment, to } = parseDeploymentOptions(["env"], { to: "string" });
const isTimestamp =
  typeof to === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(to);
const isBookmark = typeof to === "string" && /^[0-9a-f]{8}(-[0-9a-f]{8,32}){3}$/.test(to);
if (!isTimestamp && !isBookmark) {
  stop("--to must be a time with a zone, like 2026-11-21T09:30:00Z, or a database bookmark.");
}
const settings = loadSettings({ environment });
if (settings.d1_databases.some(({ database_id: id }) => !isAssignedId(id))) {
  stop(`${settingsFileOf(environment)} has no database. \`npm run deploy\` creates that file.`);
}
if (settings.d1_databases.some(isDataDatabase)) {
  stop(
    "This command restores an installation with one database. docs/deployment.md says how to restore several.",
  );
}
saveSettings(environment, settings);
const config = ["--config", settingsFileOf(environment)];
// Finds the bookmark before the pause, so that an invalid time does not interrupt the service.
const bookmark = isBookmark
  ? to
  : queryWrangler<{ bookmark: string }>([
      "d1",
      "time-travel",
      "info",
      "DB",
      `--timestamp=${to}`,
      "--json",
      ...config,
    ])?.bookmark;

process.once("exit", (code) => {
  if (code !== 0)
    console.error(
      "The service may be paused. Run this command again, or `npm run deploy` to resume.",
    );
});
const pausedUrl = deploy(environment, settings, {}, ["--var", "PAUSED:true"]);
await waitUntilPaused(pausedUrl);
// Requests that began before the pause end within this time, or fail.
await new Promise((resolve) => setTimeout(resolve, 15_000));

// Time Travel would bring back what was erased since.
saveErasures(environment, isBookmark ? 0 : Date.parse(to));

// Saved before the restore, so that after an interruption every later deployment serves the new timeline.
settings.vars["RESTORE_EPOCH"] = randomBytes(6).toString("base64url");
settings.vars["RESTORES"] = String(nextTimeline(Number(settings.vars["RESTORES"] ?? 0)));
saveSettings(environment, settings);

const command = ["d1", "time-travel", "restore", "DB", `--bookmark=${bookmark}`, "--json"];
const restored = queryWrangler<{ previous_bookmark: string }>([...command, ...config]);
console.log(
  `Restored. To undo, run: npm run restore -- --env ${environment} --to ${restored?.previous_bookmark}`,
);

const erasureCount = storeErasures(environment);
if (erasureCount > 0) console.log(`Erasures since then that the service repeats: ${erasureCount}.`);

const oldNamespaces = settings.kv_namespaces.map(({ id }) => id).filter(isAssignedId);
const stamp = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
for (const namespace of settings.kv_namespaces) {
  const title = `${settings.name}-${namespace.binding.toLowerCase()}-${stamp}`;
  namespace.id = createNamespace(title, config);
}
saveSettings(environment, settings);
const { url } = migrateAndDeploy(environment, settings);
for (const id of oldNamespaces) {
  runWrangler([
    "kv",
    "namespace",
    "delete",
    "--namespace-id",
    id,
    "--skip-confirmation",
    ...config,
  ]);
}
const isHealthy = await waitUntilHealthy(url);
console.log(`${isHealthy ? "Responds" : "Should respond within minutes"} at ${url}, as of ${to}.`);

/** The number of the next timeline. A feed that is longer than usual needs a higher one to stay below its start. */
function nextTimeline(current: number): number {
  const longestFeed = queryCount(
    environment,
    `SELECT max((SELECT number FROM change WHERE number < (c.id + 1) * ${sequencesPerCollection}
      ORDER BY number DESC LIMIT 1) - c.id * ${sequencesPerCollection}) AS count FROM (SELECT abs(id) AS id FROM collection) c`,
  );
  return Math.max(current, Math.floor(longestFeed / sequencesPerRestore)) + 1;
}
