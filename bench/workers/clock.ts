/**
 * A clock that can be stopped and put forward, for all that runs in this isolate: `Date`, timers and waits go by it.
 * Whoever waits asks it again and again, and so stays in its own request.
 */
const RealDate = Date;
const realWait = scheduler.wait.bind(scheduler);
const { setInterval: repeat, clearInterval: stopRepeating } = globalThis;
const every = 1;

let stopped: number | undefined;
/** When each that waits goes on. */
const due = new Map<object, number>();
/** Told of each wait that begins; gives what is told when it ends. */
let watcher = (): (() => void) => () => undefined;

export const now = () => stopped ?? RealDate.now();
export const earliest = () => Math.min(Infinity, ...due.values());
export const reallyWait = realWait;

export function watchWaits(watch: typeof watcher): void {
  watcher = watch;
}

/** From now on it only moves when it is put. */
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
