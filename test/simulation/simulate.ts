import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseOptions } from "../../src/dev/command.ts";
import { root } from "./bundle.ts";
import { compareDatabases } from "./compare.ts";
import { mutants, type Mutant } from "./mutants.ts";
import { makePlan, needsMoves, type Step, type ThemeName } from "./plan.ts";
import { reduce, tellStory } from "./reduce.ts";
import { recordExchanges } from "./record.ts";
import { run, type Setting } from "./run.ts";
import { collectedPlans, collectedFolder } from "./collected.ts";
import { noMoves, type MoveCounts } from "./moves.ts";
import { hasMoves, layoutOf, missingFormerVersions, setUp, type Layout } from "./settings.ts";

const usage = `
Usage: npm run simulate -- [options]

Plays plans of clients and faults against the service, and judges what the clients observe.
A plan that fails is reduced and told as a story.

  --seed N          the first seed; by default a new one
  --seeds N         how many seeds (1)
  --steps N         steps of each plan (200)
  --minutes N       as many seeds as fit into this time
  --jobs N          shares the seeds among so many processes (1)
  --only N,N        only these steps of the plan, as a story names them
  --trace           prints every event
  --moves           only plans in which collections move between databases
  --theme NAME      only plans with this theme; by default, each seed picks one
  --databases N     with 2, collections have a data database (1)
  --collected       the plans that found something before
  --mutants         every planted bug; with --mutant TEXT, those whose names contain the text
  --mutant NAME     seeds until one finds this planted bug
  --within N        seconds of CPU for each planted bug (120)
  --explain         reduces and tells what a planted bug does
  --keep NAME       keeps the reduced plan under this name
  --compare         the same requests with one and with several databases: all answers must be the same
  --exchanges       prints the exchanges of clients without faults, one after the other
  --ci              what CI runs
  --nightly         collected plans, all planted bugs, 2,000 seeds
`;

const options = parseOptions(usage, {
  seed: { type: "string" },
  seeds: { type: "string", default: "1" },
  steps: { type: "string", default: "200" },
  only: { type: "string" },
  trace: { type: "boolean", default: false },
  mutants: { type: "boolean", default: false },
  mutant: { type: "string" },
  explain: { type: "boolean", default: false },
  keep: { type: "string" },
  within: { type: "string", default: "120" },
  minutes: { type: "string" },
  jobs: { type: "string", default: "1" },
  moves: { type: "boolean", default: false },
  theme: { type: "string" },
  databases: { type: "string", default: "1" },
  collected: { type: "boolean", default: false },
  compare: { type: "boolean", default: false },
  exchanges: { type: "boolean", default: false },
  ci: { type: "boolean", default: false },
  nightly: { type: "boolean", default: false },
});

const say = (line: string) => void process.stdout.write(`${line}\n`);
const steps = Number(options.steps);
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** The theme of all plans, if the command or a planted bug prescribes one. */
const themeFor = (mutant?: Mutant): ThemeName | undefined =>
  (options.theme as ThemeName | undefined) ?? mutant?.theme;

const layoutFor = (seed: number, mutant?: Mutant): Layout => {
  if (options.databases === "2") return "apart";
  const theme = themeFor(mutant);
  const alwaysMoves =
    options.moves || mutant?.hasMoves === true || (theme !== undefined && needsMoves(theme));
  const neverMoves = !alwaysMoves && (mutant ?? theme) !== undefined;
  return neverMoves ? "single" : layoutOf(seed, alwaysMoves);
};

const planOptions = (layout: Layout, mutant?: Mutant) => {
  const theme = themeFor(mutant);
  return { hasMoves: hasMoves(layout), ...(theme ? { theme } : {}) };
};

const settings = new Map<Layout, Promise<Setting>>();

function settingFor(layout: Layout, mutant?: Mutant): Promise<Setting> {
  const known = settings.get(layout) ?? setUp(layout, mutant);
  settings.set(layout, known);
  return known;
}

/** The moves of the played plans. */
const moves = noMoves();

/** Plays the plan of a seed. Prints the errors as the shortest story that shows them. */
async function playSeed(seed: number, count: number, mutant?: Mutant): Promise<boolean> {
  const layout = layoutFor(seed, mutant);
  const setting = { ...(await settingFor(layout, mutant)), seed };
  const wanted = options.only?.split(",").map(Number);
  const whole = makePlan(seed, count, planOptions(layout, mutant));
  const plan = whole.filter(({ number }) => wanted?.includes(number) ?? true);
  const result = await run(plan, { ...setting, keepsTrace: options.trace });
  const { errors, trace, digest } = result;
  for (const name of Object.keys(moves) as (keyof MoveCounts)[]) moves[name] += result.moves[name];
  if (options.trace) say([...trace, digest].join("\n"));
  if (errors.length === 0) return true;
  say(`\nSeed ${seed} fails: ${errors.join("\n  ")}`);
  if (!wanted) await explain({ ...setting, layout }, seed, count, plan);
  else if (!options.trace) {
    say(tellStory((await run(plan, { ...setting, keepsTrace: true })).trace).join("\n"));
  }
  return false;
}

async function explain(
  { layout, ...setting }: Setting & { layout: Layout },
  seed: number,
  count: number,
  plan: readonly Step[],
): Promise<void> {
  const fails = async (some: readonly Step[]) => (await run(some, setting)).errors.length > 0;
  const reduced = await reduce(plan, fails);
  const { trace } = await run(reduced, { ...setting, keepsTrace: true });
  const only = reduced.map(({ number }) => number).join();
  say(`\n${reduced.length} of ${plan.length} steps are enough:\n`);
  say(tellStory(trace).join("\n"));
  if (options.keep !== undefined) {
    const [found = ""] = (await run(reduced, setting)).errors;
    writeFileSync(
      `${collectedFolder}/${options.keep}.json`,
      `${JSON.stringify({ found, layout, seed, steps: reduced }, null, 2)}\n`,
    );
  }
  const mutant = options.mutant ? ` --mutant "${options.mutant}"` : "";
  const theme = options.theme ? ` --theme "${options.theme}"` : "";
  const forced = `${theme}${options.moves ? " --moves" : ""}${options.databases === "2" ? " --databases 2" : ""}`;
  say(`\nnpm run simulate -- --seed ${seed} --steps ${count} --only ${only}${mutant}${forced}`);
}

async function playSeeds(
  first: number,
  count: number,
  endsAt = Infinity,
  mutant?: Mutant,
): Promise<boolean> {
  const startedAt = cpuSeconds();
  let failed = 0;
  let played = 0;
  for (; played < count && Date.now() < endsAt; played += 1) {
    if (!(await playSeed(first + played, steps, mutant))) failed += 1;
  }
  const rate = Math.round((played * steps) / (cpuSeconds() - startedAt));
  // A trace contains nothing that depends on the machine.
  if (options.trace) return failed === 0;
  say(
    `seeds ${first} to ${first + played - 1}, ${steps} steps each: ${failed} failed; ${rate} steps per second of CPU`,
  );
  const { begun, flipped, stopped, restored, kills, restores } = moves;
  if (begun + stopped + restored > 0)
    say(
      `moves: ${begun} began, ${flipped} flipped, ${stopped} were stopped, a restore ended ${restored}; ${kills} kills of their runs, ${restores} restores`,
    );
  return failed === 0;
}

/** Compares one database with several ones. With a planted bug, stops at the first difference. */
async function compareSeeds(first: number, count: number, mutant?: Mutant): Promise<boolean> {
  let isSame = true;
  const [one, several] = [await settingFor("single"), await settingFor("apart and 1", mutant)];
  for (let seed = first; seed < first + count; seed += 1) {
    const { difference, answers, flips } = await compareDatabases(one, several, seed, steps);
    say(`seed ${seed}: ${answers} requests, ${flips} moves: ${difference ?? "the same answers"}`);
    if (difference === undefined) continue;
    isSame = false;
    if (mutant) break;
  }
  return isSame;
}

/** Plays seeds until one finds the planted bug. */
async function findMutant(mutant: Mutant, first: number): Promise<boolean> {
  settings.clear();
  const startedAt = cpuSeconds();
  for (let seed = first; cpuSeconds() - startedAt < Number(options.within); seed += 1) {
    const layout = layoutFor(seed, mutant);
    const setting = { ...(await settingFor(layout, mutant)), seed };
    const plan = makePlan(seed, steps, planOptions(layout, mutant));
    const { errors } = await run(plan, setting);
    if (errors.length === 0) continue;
    say(`found in ${(cpuSeconds() - startedAt).toFixed(1)} s, seed ${seed}: ${mutant.name}`);
    say(`    ${errors[0]?.slice(0, 160)}`);
    if (options.explain) await explain({ ...setting, layout }, seed, steps, plan);
    return true;
  }
  say(`NOT FOUND within ${options.within} s: ${mutant.name}`);
  return false;
}

/** Plays the plans that have found a bug before. */
async function playCollected(mutant?: Mutant): Promise<boolean> {
  const plans = collectedPlans();
  let isGood = true;
  for (const { name, layout, seed, plan } of plans) {
    const { errors } = await run(plan, { ...(await settingFor(layout, mutant)), seed });
    if (errors.length === 0) continue;
    isGood = false;
    say(`the collected plan ${name} fails: ${errors.join("\n  ")}`);
  }
  say(`${plans.length} collected plans played`);
  return isGood;
}

function runSelf(args: readonly string[]): Promise<{ isGood: boolean; output: string }> {
  return new Promise((resolve) => {
    const path = `${root}test/simulation/simulate.ts`;
    const child = spawn(process.execPath, ["--js-base-64", path, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on("close", (code) => resolve({ isGood: code === 0, output }));
  });
}

/** Shares the seeds among processes. */
async function playInParallel(
  first: number,
  count: number,
  jobs: number,
  rest: readonly string[] = [],
): Promise<boolean> {
  const share = Math.ceil(count / jobs);
  const runs = await Promise.all(
    Array.from({ length: jobs }, (_, job) =>
      runSelf([
        "--seed",
        String(first + job * share),
        "--seeds",
        String(share),
        "--steps",
        String(steps),
        ...(options.moves ? ["--moves"] : []),
        ...(options.theme ? ["--theme", options.theme] : []),
        ...rest,
      ]),
    ),
  );
  for (const { output } of runs) say(output.trimEnd());
  return runs.every(({ isGood }) => isGood);
}

const ciSeeds = 250;
const jobs = Number(options.jobs);
/** Returns new seeds for each run, so that several runs cover more seeds. */
const newSeed = () => Math.floor(Date.now() / 1000);

/**
 * Returns the seed of the current commit. A run of one commit can be repeated, and the next commit tries other plans.
 */
function seedOfCommit(): number {
  const tree = execFileSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: root, encoding: "utf8" });
  return Number.parseInt(tree.slice(0, 7), 16);
}

/**
 * Plays the seeds of the commit, so that the result changes only with the code. Tests play the collected plans, and one
 * trace twice.
 */
async function ci(first: number): Promise<boolean> {
  const missing = missingFormerVersions();
  if (missing.length > 0) {
    say(`FAILED: the history lacks ${missing.join(" and ")}`);
    return false;
  }
  const isGood = await playInParallel(first, ciSeeds, 2);
  // Each commit runs two of the bugs, so that all of them take turns.
  const two = [0, 1].map((index) => mutants[(first * 2 + index) % mutants.length] as Mutant);
  const found = await Promise.all(
    two.map(({ name }) => runSelf(["--mutant", name, "--seed", "1"])),
  );
  for (const { output } of found) say(output.trimEnd());
  return isGood && found.every((each) => each.isGood);
}

/** Searches for every planted bug, or for the ones whose names contain a text. */
async function everyMutant(text = ""): Promise<boolean> {
  const wanted = mutants.filter(({ name }) => name.includes(text));
  const results: boolean[] = [];
  for (const mutant of wanted) results.push(await findMutant(mutant, Number(options.seed ?? 1)));
  say(`${results.filter(Boolean).length} of ${results.length} planted bugs found`);
  return results.every(Boolean);
}

async function main(): Promise<boolean> {
  const seed = Number(options.seed ?? newSeed());
  if (options.ci) return ci(Number(options.seed ?? seedOfCommit()));
  if (options.nightly) {
    return [await playCollected(), await everyMutant(), await playInParallel(seed, 2000, 2)].every(
      Boolean,
    );
  }
  if (options.mutants) return everyMutant(options.mutant);
  const mutant = mutants.find(({ name }) => name === options.mutant);
  if (options.mutant !== undefined && !mutant) throw new Error(`No mutant "${options.mutant}".`);
  if (options.collected) return playCollected(mutant);
  if (options.exchanges) {
    say(JSON.stringify(await recordExchanges(await settingFor("single"), seed, steps)));
    return true;
  }
  if (options.compare) return compareSeeds(seed, Number(options.seeds), mutant);
  if (mutant && !options.only) return findMutant(mutant, seed);
  if (jobs > 1) {
    const limits = options.minutes ? ["--minutes", options.minutes] : [];
    return playInParallel(
      seed,
      options.minutes ? 1_000_000 * jobs : Number(options.seeds),
      jobs,
      limits,
    );
  }
  const endsAt = options.minutes ? Date.now() + Number(options.minutes) * 60_000 : Infinity;
  return playSeeds(seed, options.minutes ? Infinity : Number(options.seeds), endsAt, mutant);
}

process.exitCode = (await main()) ? 0 : 1;
