import { cpSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { parseOptions } from "../../../src/dev/command.ts";
import { fieldNumber, systemFieldIds } from "../../../src/domain/data/values.ts";
import { caller } from "../../support/caller.ts";
import { Random } from "../random.ts";
import { Comparison } from "./compare.ts";
import { appDefinition, appKey, fill, formDefinition, formKey } from "./filling.ts";
import { KilledError, MovingService } from "./server.ts";
import { Fault, pause, Traffic } from "./traffic.ts";

const usage = `
Usage: npm run test:move -- [options]

Moves a form to another database while clients write and read, kills the service (SIGKILL), and compares everything
that the form has with what acknowledged writes make of it.

  --items N        items of the form; default: 50000
  --kills N        how often the service is killed; default: 10
  --seed N         seed of the random traffic; default: a new one
  --folder PATH    where the databases are; default: /dev/shm
`;

interface Move {
  phase: string;
  problem: string | null;
  position: string | null;
  done: number;
  total: number;
  announced_at: number | null;
  frozen_ms: number | null;
}

const minuteMs = 60_000;
const announcedMs = 65_000;
/** Writes wait so long at most, as the service measures it. A client on a busy machine waits longer for other reasons. */
const maxFrozenMs = 2000;
const [writers, readers] = [3, 2];

const values = parseOptions(usage, {
  items: { type: "string", default: "50000" },
  kills: { type: "string", default: "10" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  folder: { type: "string", default: "/dev/shm" },
});
const [items, kills] = [Number(values.items), Number(values.kills)];
const random = new Random(Number(values.seed));
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);
const say = (line: string) => console.warn(`${String(seconds()).padStart(5)} s  ${line}`);

/** How far a move is, nearly, from 0 to 1: copying is the first half and comparing the second. */
function progressOf({ phase, position, done, total }: Move): number {
  if (phase === "requested") return -1;
  const half = { copying: 0, checking: 0.5 }[phase];
  if (half === undefined) return 1;
  const { table, after } = (JSON.parse(position ?? "null") ?? { table: 0, after: null }) as {
    table: number;
    after: unknown[] | null;
  };
  // Items, then changes, then the entries of four fields, then unique values.
  const field = Number(after?.[0] ?? 0) % fieldNumber(1, 0);
  const isSystem = field >= systemFieldIds.status;
  const shares = [(0.2 * done) / total, 0.2, isSystem ? 0.65 : 0.35, 0.9];
  return half + (shares[table] ?? 1) / 2;
}

class Run {
  readonly #service: MovingService;
  readonly #traffic: Traffic;
  #runs = 0;
  #killed = 0;
  /** Milliseconds in which the schedule worked on the move. */
  workedMs = 0;

  constructor(service: MovingService, traffic: Traffic) {
    this.#service = service;
    this.#traffic = traffic;
  }

  get runs(): number {
    return this.#runs;
  }

  async move(): Promise<Move | undefined> {
    const sql = "select * from collection_move order by id desc limit 1";
    const [move] = await this.#service.query<Move>("DB", sql);
    return move;
  }

  /** Kills the service when the move is so far, and starts it again. */
  async killAt(isDue: (move: Move) => boolean, delayMs: number): Promise<void> {
    for (;;) {
      const move = await this.move();
      if (move && (isDue(move) || move.phase === "kept")) break;
      await pause(200);
    }
    await pause(delayMs);
    const move = await this.move();
    let resume = () => {};
    this.#traffic.isUp = new Promise((resolve) => (resume = resolve));
    await this.#service.kill();
    await this.#service.start();
    resume();
    this.#killed += 1;
    say(`killed ${this.#killed} times, while ${move?.phase} ${move?.position ?? ""}`);
  }

  /** Runs the schedule until the move is over. */
  async schedule(): Promise<Move> {
    let scheduledAt = Math.floor(Date.now() / minuteMs) * minuteMs - 10_000 * minuteMs;
    let phase = "";
    for (;;) {
      const up = this.#traffic.isUp;
      await up;
      try {
        const runAt = performance.now();
        await this.#service.runSchedule(scheduledAt);
        this.workedMs += performance.now() - runAt;
        this.#runs += 1;
        scheduledAt += minuteMs;
        const move = await this.move();
        if (!move || move.phase === "stopped") throw new Fault(JSON.stringify(move));
        if (move.phase !== phase) say(`run ${this.#runs}: ${move.phase} ${move.problem ?? ""}`);
        phase = move.phase;
        if (phase === "kept") return move;
      } catch (error) {
        if (!(error instanceof KilledError) && up === this.#traffic.isUp) throw error;
      }
      await pause(500);
    }
  }
}

async function killAll(run: Run): Promise<void> {
  const shares = Array.from({ length: Math.max(0, kills - 2) }, () => random.next());
  for (const share of shares.toSorted((a, b) => a - b))
    await run.killAt((move) => progressOf(move) >= share, random.int(0, 8000));
  if (kills > 1) await run.killAt(({ phase }) => phase === "following", random.int(0, 5000));
  const isNearFlip = ({ phase, announced_at: at }: Move) =>
    phase === "flipping" || (phase === "following" && Date.now() - (at ?? Infinity) > announcedMs);
  if (kills > 0) await run.killAt(isNearFlip, random.int(0, 500));
}

async function test(service: MovingService): Promise<void> {
  say(`Builds the service in ${service.folder}, with the seed ${values.seed}`);
  await service.build();
  await service.start();
  const tokens = [await service.token(), await service.token()];
  // So that the form begins in the home database.
  await service.query("DB", "insert into data_database values ('DATA_01', null, 1e15)");
  const call = caller(service.url, tokens[0] ?? "");
  for (const [path, document] of [
    [`/apps/${appKey}/schema`, appDefinition],
    [`/forms/${formKey}/schema`, formDefinition],
  ] as const) {
    const defined = await call("PUT", path, document);
    if (defined.status !== 201) throw new Fault(defined.text);
  }
  await service.query("DB", "update data_database set used_from = 0");
  await service.kill();
  const source = service.fileOf("DB");
  const form = fill(source, items);
  const base = join(service.folder, "base.sqlite");
  cpSync(source, base);
  say(`Filled ${items} items`);
  await service.start();

  const traffic = new Traffic(service, form, tokens, items);
  const run = new Run(service, traffic);
  const clients = [
    ...Array.from({ length: writers }, (_, writer) =>
      traffic.write(writer, writers, new Random(random.int(0, 2 ** 31))),
    ),
    ...Array.from({ length: readers }, (_, reader) =>
      traffic.read(reader, new Random(random.int(0, 2 ** 31))),
    ),
    traffic.follow(),
  ];
  // A client that fails ends the test.
  const failure = new Promise<never>((_, reject) => {
    Promise.all(clients).catch(reject);
  });
  failure.catch(() => undefined);
  await Promise.race([pause(2000), failure]);
  const movedFrom = seconds();
  await service.query(
    "DB",
    `insert into collection_move (name, target, phase, actor, requested_at, changed_at)
      values ('form:${formKey}', 'DATA_01', 'requested', 'system', ${Date.now()}, ${Date.now()})`,
  );
  const [move] = await Promise.race([Promise.all([run.schedule(), killAll(run)]), failure]);
  const movedSeconds = seconds() - movedFrom;
  say(`Moved in ${movedSeconds} s and ${run.runs} complete runs of the schedule`);
  // Null if the run that froze the form was killed. The next one does not know how long it was frozen.
  if ((move.frozen_ms ?? 0) > maxFrozenMs)
    throw new Fault(`Writes waited ${move.frozen_ms} ms for the other database`);
  await pause(2000);
  traffic.stop();
  await Promise.all(clients);
  const replays = await traffic.replay();
  await traffic.readChanges();
  for (const { id, changes } of traffic.items.values()) {
    const told = (traffic.fed.get(id) ?? []).map((change) => change.replace(/ .*$/, ""));
    if (told.join() !== changes.join())
      throw new Fault(`The feed told ${told.join()} of ${id}, expected ${changes.join()}`);
  }
  await service.kill();
  const files = { target: service.fileOf("DATA_01"), source, base };
  const compared = new Comparison(files, form, items, traffic).run();
  say(
    `Compared ${compared.unchanged} items that stayed as they were, and ${compared.written} others`,
  );
  console.warn(
    JSON.stringify({
      items,
      kills,
      seed: values.seed,
      movedSeconds,
      completeRuns: run.runs,
      workedSeconds: Math.round(run.workedMs / 1000),
      frozenMs: move.frozen_ms,
      longestWriteMs: Math.round(traffic.longestWriteMs),
      longestReadMs: Math.round(traffic.longestReadMs),
      ...traffic.counts,
      replays,
      ...compared,
    }),
  );
}

const service = new MovingService(values.folder);
try {
  await test(service);
} catch (error) {
  say(error instanceof Fault ? error.message : inspect(error));
  process.exitCode = 1;
} finally {
  await service.remove();
  process.exit();
}
