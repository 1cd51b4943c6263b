import { optionsOf } from "./deploy/options.ts";
import { healthy, publish } from "./deploy/publish.ts";
import { createNamespace } from "./deploy/resources.ts";
import { fileOf, isKnown, keep, settingsOf } from "./deploy/settings.ts";
import { ask, run, stop } from "./deploy/wrangler.ts";

/**
 * `npm run restore -- --to 2026-11-21T09:30:00Z`: takes the database back to that minute. What was remembered since must
 * go as well: cached replays (another namespace), and what isolates and objects know (a deployment). An older state
 * lacks newer migrations, so those come before the deployment.
 */

const { environment, to } = optionsOf(["env"], { to: "string" });
const at =
  typeof to === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(to);
const bookmark = typeof to === "string" && /^[0-9a-f]{8}(-[0-9a-f]{8,32}){3}$/.test(to);
if (!at && !bookmark) {
  stop(
    "--to must be a time with its zone, like 2026-11-21T09:30:00Z, or a bookmark of the database.",
  );
}
const settings = settingsOf({ environment });
if (settings.d1_databases.some(({ database_id: id }) => !isKnown(id))) {
  stop(`${fileOf(environment)} knows no database: \`npm run deploy\` makes that file.`);
}
keep(environment, settings);
const config = ["--config", fileOf(environment)];
const moment = `--${bookmark ? "bookmark" : "timestamp"}=${to}`;
const back = ["d1", "time-travel", "restore", "DB", moment, "--json"];
const restored = ask<{ previous_bookmark: string }>([...back, ...config]);
console.log(
  `Restored. To undo it: npm run restore -- --env ${environment} --to ${restored?.previous_bookmark}`,
);

const former = settings.kv_namespaces.map(({ id }) => id).filter(isKnown);
const stamp = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
for (const namespace of settings.kv_namespaces) {
  const title = `${settings.name}-${namespace.binding.toLowerCase()}-${stamp}`;
  namespace.id = createNamespace(title, config);
}
keep(environment, settings);
const url = publish(environment, settings);
for (const id of former) {
  run(["kv", "namespace", "delete", "--namespace-id", id, "--skip-confirmation", ...config]);
}
const well = await healthy(url);
console.log(`${well ? "Answers" : "Should answer within minutes"} at ${url}, as of ${to}.`);
