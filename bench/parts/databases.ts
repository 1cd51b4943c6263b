import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { model, type Measured } from "../measure/model.ts";
import { count, figure, table, times } from "../report/markdown.ts";
import { project } from "../serve/bundle.ts";
import type { Part } from "./bench.ts";

const numbers = [1, 2, 4, 8];
/** The factor that 4 databases must reach compared with one. */
const goal = 3.5;

async function measure(databases: number, ...args: string[]): Promise<Measured> {
  const script = join(project, "test/simulation/load.ts");
  const command = ["--js-base-64", script, String(databases), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  return JSON.parse(stdout) as Measured;
}

const share = (part: number) => `${(part * 100).toFixed(1)} %`;

/** Simulates creates in several data databases, in virtual time. */
export const databases: Part = async ({ note }) => {
  const measured: Measured[] = [];
  for (const number of numbers) {
    note(`${number} databases`);
    measured.push(await measure(number));
  }
  note("a webhook");
  const hooked = await measure(4, "webhook");
  const [one] = measured;
  const last = measured.at(-1);
  if (!one || !last) throw new Error("Nothing is measured.");
  const rows = measured.map(({ creates, data, home, object }, index) => [
    numbers[index] ?? 0,
    count(creates),
    times(creates / one.creates),
    share(data),
    share(home),
    share(object),
  ]);
  const ratio = (measured[numbers.indexOf(4)]?.creates ?? 0) / one.creates;
  if (ratio < goal) throw new Error(`4 databases create ${ratio.toFixed(2)} times as much as one.`);
  const header = ["data databases", "creates a second", "", "busy: data", "home", "busiest object"];
  const homeLimit = last.home > 0 ? last.creates / last.home : Infinity;
  const objectLimit = 1000 / model.objectMs;
  const text = `${table(header, rows)}

The goal with 4 databases is ${goal} times as much as with one. This is a **simulation** in virtual time. The service is the real
one, on the platform of \`npm run simulate\`. Each database does one batch at a time: ${model.statementMs} ms for a statement and ${model.commitMs} ms for a
commit. A create takes ${figure(one.statements)} statements. An object takes ${model.objectMs} ms for a call, and each way of a call ${model.latencyMs} ms. Isolates are not
limited. 60 clients for each database share 50 credentials. Each database has one form.

What would limit next, by the same model:

- **Home database:** ${Number.isFinite(homeLimit) ? `full at ${figure(homeLimit)} creates a second` : "no create used it, because isolates remember placements and objects remember credentials"}.
- **Objects:** the object of a credential is full at ${figure(objectLimit)} calls a second. So one credential alone fills ${figure(objectLimit / one.creates)} databases.
- **Feeds:** with a webhook that receives all of them, 4 databases take ${count(hooked.creates)} creates a second, and the webhook gets
  ${count(hooked.messages)} messages a second. Its object was busy for ${share(hooked.object)} of the time, the home database for ${share(hooked.home)}. It sends one
  message after the other, and its reads wait behind the clients of busy databases. So feeds limit first.`;
  return [{ title: "Several databases, simulated", text }];
};
