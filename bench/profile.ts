import { rmSync, writeFileSync } from "node:fs";
import { load } from "./measure/load.ts";
import { hottest, ownFunctions, profile } from "./measure/profile.ts";
import { newFolder, tokenCount } from "./parts/bench.ts";
import { callsOf, operations, prepared } from "./parts/operations.ts";
import { bundle, project } from "./serve/bundle.ts";

/** `npm run bench:profile -- create` shows which functions use the runtime's CPU time under the load of one operation. */

const [name = "get"] = process.argv.slice(2);
const operation = operations.find((candidate) => candidate.name === name);
if (!operation) throw new Error(`There is no operation ${name}.`);
const inspector = "127.0.0.1:9339";
const [builds, data] = [newFolder(), newFolder("/dev/shm")];
const bundles = { main: bundle("src/index.ts", builds, false) };
const { service, tokens } = await prepared(data, bundles, 8870, 10_000, tokenCount, [
  `--inspector-addr=${inspector}`,
]);
const runLoad = () =>
  load({
    next: callsOf(operation, `${service.url()}/api/v1`, tokens),
    connections: 8,
    milliseconds: 8000,
    status: operation.status,
  });
await runLoad();
let requests = 0;
const cpuProfile = await profile(inspector, "main", async () => {
  ({ requests } = await runLoad());
});
const file = `${project}.wrangler/${name}.cpuprofile`;
writeFileSync(file, JSON.stringify(cpuProfile));
console.log(hottest(cpuProfile, 30).join("\n"));
console.log(`\nThe Worker's own JavaScript, for each of ${requests} requests:\n`);
console.log(ownFunctions(cpuProfile, requests, 45).join("\n"));
console.log(`\nThe whole profile is in ${file}.`);
await service.stop();
for (const folder of [builds, data]) rmSync(folder, { recursive: true });
