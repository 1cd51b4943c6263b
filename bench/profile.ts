import { rmSync, writeFileSync } from "node:fs";
import { parseArguments } from "../src/dev/command.ts";
import { stop } from "../src/dev/deploy/wrangler.ts";
import { load } from "./measure/load.ts";
import { hottest, ownFunctions, profile } from "./measure/profile.ts";
import { newFolder, tokenCount } from "./parts/bench.ts";
import { callsOf, operations, prepared } from "./parts/operations.ts";
import { bundle, project } from "./serve/bundle.ts";

const usage = `
Usage: npm run bench:profile -- [OPERATION]

Shows which functions use the runtime's CPU time under the load of one operation. Default: get
Operations: ${operations.map((candidate) => candidate.name).join(", ")}
`;

const [name = "get"] = parseArguments(usage, {}, 1).positionals;
const operation = operations.find((candidate) => candidate.name === name);
if (!operation) stop(`There is no operation '${name}'. See --help.`);
const [builds, data] = [newFolder(), newFolder("/dev/shm")];
const bundles = { main: bundle("src/index.ts", builds, false) };
const { service, tokens } = await prepared(data, bundles, 10_000, tokenCount, [
  "--inspector-addr=127.0.0.1:0",
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
const cpuProfile = await profile(service.url("inspector"), "main", async () => {
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
