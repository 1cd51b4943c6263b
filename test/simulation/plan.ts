import { Random } from "../soak/random.ts";
import type { CallFault } from "./platform/scheduler.ts";

/** The kinds of steps of clients, and their frequencies. */
const loads = {
  create: 14,
  retry: 5,
  update: 14,
  increment: 6,
  upsert: 6,
  batch: 4,
  remove: 4,
  status: 3,
  read: 8,
  search: 8,
  walk: 7,
  feed: 5,
  burst: 2,
  adminUpdate: 3,
  issue: 5,
  revoke: 2,
  rotate: 3,
  narrow: 1,
  guest: 7,
  define: 3,
  aggregate: 3,
  undo: 3,
  readBack: 7,
  // Only in plans with a theme, so that the others have more of the remaining steps.
  customer: 0,
  order: 0,
  relink: 0,
  expand: 0,
  erase: 0,
  view: 0,
  partner: 0,
  partnerFeed: 0,
  deleteForm: 0,
  restoreForm: 0,
  poll: 0,
  diary: 0,
  lateReads: 0,
  // Only at the end.
  wholeFeeds: 0,
  wholePartnerFeed: 0,
};
const noLoads = Object.fromEntries(Object.keys(loads).map((name) => [name, 0])) as typeof loads;

/** Events of the platform, and their frequencies. */
const happenings = {
  killIsolate: 2,
  killObject: 2,
  moveObject: 1.5,
  cutObject: 1.5,
  loseAlarm: 1,
  delayAlarm: 1,
  repeatAlarm: 1,
  skipSchedule: 1,
  skew: 1,
  receiverFails: 1,
  disturbAlarm: 2,
  disturbRun: 1,
  deploy: 0.7,
  // Only in some plans, because a restore ends much of the activity.
  keepImage: 0,
  restore: 0,
  restoreOne: 0,
  // Only in plans with several databases.
  requestMove: 0,
  moveDiary: 0,
  stopMove: 0,
  expireCopies: 0,
};
/** Additional events while collections move. */
const moving = { requestMove: 12, stopMove: 0.6, disturbRun: 5, expireCopies: 1.5, deploy: 1.5 };

const restoring = { keepImage: 3, restore: 2 };
const restoringOne = { restoreOne: 6 };
const restoreShare = 0.3;

type Load = keyof typeof loads;
export type Happening = keyof typeof happenings;

/** What clients and the platform do more often in some plans, so that rare combinations are frequent there. */
interface Theme {
  /** How often seeds pick the theme. */
  weight: number;
  loads?: Partial<Record<Load, number>>;
  happenings?: Partial<Record<Happening, number>>;
}

const manyRestores = { keepImage: 20, restore: 20 };

const themes = {
  general: { weight: 30 },
  "special collections": {
    weight: 25,
    loads: {
      customer: 6,
      order: 12,
      relink: 8,
      expand: 8,
      erase: 4,
      view: 4,
      partner: 14,
      partnerFeed: 6,
      deleteForm: 2,
      restoreForm: 3,
      poll: 8,
      diary: 8,
    },
  },
  credentials: { weight: 2, loads: { issue: 14, revoke: 14, rotate: 12, narrow: 4, guest: 10 } },
  deletions: { weight: 2, loads: { deleteForm: 40, restoreForm: 40, poll: 120 } },
  "restored keys": { weight: 2, loads: { create: 40, retry: 40 }, happenings: manyRestores },
  "restored definitions": {
    weight: 2,
    loads: { define: 30, search: 80 },
    happenings: manyRestores,
  },
} satisfies Record<string, Theme>;

/** The themes of plans in which collections move. */
const movingThemes = {
  general: themes.general,
  "special collections": themes["special collections"],
  "moves before erasures": {
    weight: 4,
    loads: { diary: 10 },
    happenings: { moveDiary: 20, skipSchedule: 10 },
  },
  "unreported writes": { weight: 4, loads: { lateReads: 6, readBack: 0 } },
} satisfies Record<string, Theme>;

export type ThemeName = keyof typeof themes | keyof typeof movingThemes;

/** Whether only plans in which collections move have the theme. */
export const needsMoves = (theme: ThemeName): boolean => !(theme in themes);

/**
 * One step: an action of a client or an event of the platform. It has the same effect when other steps are left out.
 */
export interface Step {
  /** The number of the step in the plan of its seed. */
  number: number;
  /** The earliest start of the step, in milliseconds since the start of the plan. */
  at: number;
  kind: Load | Happening;
  /** The client that plays the step, after its earlier steps. */
  client: number;
  /** The seed of all choices within the step. */
  seed: number;
  /** Faults by the position of a call. */
  faults: [number, CallFault][];
  /** The time for which the client waits for a response. */
  patienceMs: number;
  /**
   * The time for which the platform lets work continue after the response. The default is the time that the platform
   * promises.
   */
  backgroundMs?: number;
  /** Whether nothing disturbs the service any more, so that it must respond. */
  isAfterAll?: true;
}

/** Steps of clients at the end, when nothing disturbs the platform any more. All of them must succeed. */
const finalKinds = [
  ...(["create", "update", "upsert", "batch", "read", "search", "walk", "wholeFeeds"] as const),
  "wholePartnerFeed" as const,
];

export const makeEnd = (plan: readonly Step[]): Step[] =>
  finalKinds.map((kind, index) => {
    const number = (plan.at(-1)?.number ?? 0) + index + 1;
    const step = { number, at: 0, kind, client: 0, seed: number };
    return { ...step, faults: [], patienceMs: 100_000, isAfterAll: true };
  });

export const clientCount = 7;
/** A client whose credential never writes, so that only its earlier reads decide what it must see. */
const reader = 5;
const reads = { read: 8, search: 6, walk: 10, feed: 6, aggregate: 3 };
const specialReads = { expand: 8 };

/**
 * Creates a plan. Plans with moves pause until just before each run of the schedule, so that clients are active during
 * moves. The seed picks the theme, unless one is prescribed.
 */
export function makePlan(
  seed: number,
  count: number,
  { hasMoves = false, theme: prescribed }: { hasMoves?: boolean; theme?: ThemeName } = {},
): Step[] {
  const random = new Random(seed);
  const pool: Partial<Record<ThemeName, Theme>> = hasMoves ? movingThemes : themes;
  const name = prescribed ?? pickTheme(random, pool);
  const theme = pool[name];
  if (!theme) throw new Error(`No theme "${name}".`);
  const writes = { ...loads, ...theme.loads };
  const reading = { ...noLoads, ...reads, ...(writes.expand > 0 ? specialReads : {}) };
  const isRestored = random.chance(restoreShare);
  const happens = {
    ...happenings,
    ...(isRestored ? restoring : {}),
    ...(hasMoves ? moving : {}),
    ...(hasMoves && isRestored ? restoringOne : {}),
    ...theme.happenings,
  };
  const happenShare = hasMoves ? 0.15 : 0.1;
  let at = 0;
  return Array.from({ length: count }, (_, index) => {
    at += hasMoves ? movingGap(random, at) : gap(random);
    const client = random.int(0, clientCount - 1);
    const load = random.weighted(client === reader ? reading : writes);
    const kind = !random.chance(happenShare) ? load : random.weighted(happens);
    return {
      number: index + 1,
      at,
      kind,
      client,
      seed: random.int(1, 2 ** 31),
      faults: pickFaults(random, kind),
      patienceMs: random.chance(0.08) ? random.int(5, 200) : 100_000,
      ...(random.chance(0.05) ? { backgroundMs: random.int(0, 3000) } : {}),
    };
  });
}

function pickTheme(random: Random, pool: Partial<Record<ThemeName, Theme>>): ThemeName {
  const weights = Object.entries(pool).map(([name, { weight }]) => [name, weight]);
  return random.weighted(Object.fromEntries(weights) as Record<ThemeName, number>);
}

/**
 * Returns the time before the next step. Most steps overlap. Some follow a pause in which caches expire, objects
 * hibernate and the schedule runs.
 */
function gap(random: Random): number {
  const chance = random.next();
  if (chance < 0.85) return random.int(0, 40);
  if (chance < 0.97) return random.int(40, 1500);
  if (chance < 0.99) return random.int(1500, 12_000);
  return random.int(12_000, 75_000);
}

const minuteMs = 60_000;

function movingGap(random: Random, at: number): number {
  const chance = random.next();
  if (chance < 0.65) return random.int(0, 40);
  if (chance < 0.9) return random.int(40, 800);
  if (chance < 0.92) return random.int(1500, 12_000);
  return minuteMs - ((at + random.int(0, 300)) % minuteMs);
}

/** Steps that show the outcome of a write whose first calls fail, with the number of failing calls. */
const fragile: Partial<Record<Step["kind"], number>> = { undo: 3, readBack: 2, lateReads: 4 };

function pickFaults(random: Random, kind: Step["kind"]): Step["faults"] {
  const { [kind]: firstCalls } = fragile;
  if (!random.chance(firstCalls === undefined ? 0.2 : 0.6)) return [];
  return [[random.int(1, firstCalls ?? 8), pickFault(random)]];
}

export function pickFault(random: Random): CallFault {
  const chance = random.next();
  if (chance < 0.25) return "fails_before";
  if (chance < 0.5) return "fails_after";
  if (chance < 0.65) return "runs_later";
  if (chance < 0.72) return "late";
  if (chance < 0.79) return "slow";
  if (chance < 0.86) return "twice";
  return chance < 0.92 ? "overloaded" : "reset";
}
