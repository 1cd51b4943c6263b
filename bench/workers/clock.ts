/**
 * A clock for everything in this isolate that tests can stop and advance. `Date`, timers and waits use it. Waiting code
 * polls the clock, so that it continues within its own request.
 */
const RealDate = Date;
const realWait = scheduler.wait.bind(scheduler);
const { setInterval: repeat, clearInterval: stopRepeating } = globalThis;
const every = 1;

let stopped: number | undefined;
/** The times at which the waiting code continues. */
const due = new Map<object, number>();
/** Called when a wait begins. Returns a function to call when the wait ends. */
let watcher = (): (() => void) => () => undefined;

export const now = () => stopped ?? RealDate.now();
export const earliest = () => Math.min(Infinity, ...due.values());
export const reallyWait = realWait;

export function watchWaits(watch: typeof watcher): void {
  watcher = watch;
}

/** Stops the clock at this time. Only another call moves it. */
export function putTo(time: number): void {
  stopped = time;
}

function begin(milliseconds: number) {
  const key = {};
  const ended = watcher();
  due.set(key, now() + milliseconds);
  const over = () => (due.get(key) ?? 0) <= now();
  const end = () => {
    if (due.delete(key)) ended();
  };
  return { over, end };
}

const timers = new Map<unknown, () => void>();

function setTimer(callback: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) {
  const { over, end } = begin(milliseconds);
  const timer = repeat(() => {
    if (!over()) return;
    clearTimer(timer);
    callback(...args);
  }, every);
  timers.set(timer, end);
  return timer;
}

function clearTimer(timer: unknown): void {
  stopRepeating(timer as number);
  timers.get(timer)?.();
  timers.delete(timer);
}

async function wait(milliseconds: number): Promise<void> {
  const { over, end } = begin(milliseconds);
  while (!over()) await realWait(every);
  end();
}

class StoppableDate extends RealDate {
  static override now = now;
  constructor(...given: [number]) {
    super(...(given.length > 0 ? given : ([now()] as const)));
  }
}

Object.assign(globalThis, { Date: StoppableDate, setTimeout: setTimer, clearTimeout: clearTimer });
Object.defineProperty(globalThis, "scheduler", { value: { wait } });
