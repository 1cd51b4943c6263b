import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArguments } from "../src/dev/command.ts";
import { stop } from "../src/dev/deploy/wrangler.ts";
import { fsyncMilliseconds, machine } from "./measure/machine.ts";
import { newFolder, present, type Bench, type Part } from "./parts/bench.ts";
import { aggregated } from "./parts/aggregates.ts";
import { bundleSize } from "./parts/bundle-size.ts";
import { cost } from "./parts/cost.ts";
import { expanded } from "./parts/expand.ts";
import { databases } from "./parts/databases.ts";
import { files } from "./parts/files.ts";
import { geo } from "./parts/geo.ts";
import { growth } from "./parts/growth.ts";
import { overhead } from "./parts/overhead.ts";
import { peers } from "./parts/peers.ts";
import { validation } from "./parts/validation.ts";
import { rates } from "./parts/rates.ts";
import { soak } from "./parts/soak.ts";
import { worst } from "./parts/worst.ts";
import { writeSections } from "./report/markdown.ts";
import { pagePlots } from "./report/page-plots.ts";
import { checkout, project } from "./serve/bundle.ts";

const parts: Record<string, Part> = {
  overhead,
  geo,
  growth,
  aggregates: aggregated,
  expand: expanded,
  rates,
  peers,
  cost,
  databases,
  files,
  bundle: bundleSize,
  validation,
  worst,
  soak,
  // Measures nothing, and draws the plots of docs/numbers.md again.
  plots: async () => [],
};
const shortParts = ["cost", "bundle", "soak"];

const usage = `
Usage: npm run bench -- [PART…] [options]

Measures all parts, or only the named ones, and rewrites their sections of bench/RESULTS.md.
Parts: ${Object.keys(parts).join(", ")}

  --short             checks only exact figures (rows, calls, bytes, failures), fails on a difference, writes nothing
  --rounds N          rounds; the results are medians over them; default: 5
  --seconds N         for each subject in each round; default: 2
  --scales N,N        numbers of submissions for growth; default: 1000,100000,1000000
  --only TEXT         measures and prints only the worst cases whose input contains this text
  --soak-minutes N    duration of soak; default: 30
  --before COMMIT     compares with this commit in the same run
`;

const { values, positionals } = parseArguments(
  usage,
  {
    short: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    scales: { type: "string", default: "1000,100000,1000000" },
    "soak-minutes": { type: "string" },
    only: { type: "string", default: "" },
    before: { type: "string" },
  },
  Infinity,
);
const { short } = values;
const unknownPart = positionals.find((name) => !(name in parts));
if (unknownPart !== undefined) stop(`There is no part '${unknownPart}'. See --help.`);

const folders: string[] = [];
const createFolder = (parent?: string) => {
  const folder = newFolder(parent);
  folders.push(folder);
  return folder;
};
const builds = createFolder();
const plots = join(project, "bench/plots");

const bench: Bench = {
  onDisk: () => createFolder(),
  inMemory: () => createFolder("/dev/shm"),
  builds,
  rounds: Number(values.rounds),
  milliseconds: Number(values.seconds) * 1000,
  scales: values.scales.split(",").map(Number),
  soakMinutes: Number(values["soak-minutes"] ?? (short ? 0.1 : 30)),
  versions: [
    ...(values.before === undefined
      ? []
      : [{ name: values.before, root: checkout(values.before, builds) }]),
    { name: present, root: project },
  ],
  short,
  only: values.only,
  note: (text) => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`),
  plot: (name, alt, svg) => {
    if (short) return "";
    mkdirSync(plots, { recursive: true });
    writeFileSync(join(plots, `${name}.svg`), svg);
    return `![${alt}](plots/${name}.svg)`;
  },
};

const names = positionals.length > 0 ? positionals : short ? shortParts : Object.keys(parts);
try {
  for (const name of names) await measure(name);
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

async function measure(name: string): Promise<void> {
  const part = parts[name];
  if (!part) return;
  bench.note(name);
  const fsync = fsyncMilliseconds(bench.builds);
  const measured = await part(bench);
  if (short || bench.only !== "") {
    for (const { title, text } of measured) console.log(`${title}\n\n${text}\n`);
    return;
  }
  const argument = values.before === undefined ? name : `-- ${name} --before ${values.before}`;
  const date = new Date().toISOString().slice(0, 10);
  const stamp = `_Measured ${date} by \`npm run bench ${argument}\`: ${machine()}, fsync ${fsync.toFixed(2)} ms._`;
  const sections = measured.map(({ title, text }) => ({ title, text: `${text}\n\n${stamp}` }));
  const results = join(project, "bench/RESULTS.md");
  writeSections(results, "# Results", sections);
  for (const [plot, drawing] of Object.entries(pagePlots(readFileSync(results, "utf8"))))
    bench.plot(plot, "", drawing);
}
