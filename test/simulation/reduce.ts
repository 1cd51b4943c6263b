import { isDeepStrictEqual } from "node:util";
import { callFaults } from "./platform/scheduler.ts";
import type { Step } from "./plan.ts";

/** Returns a step without faults whose client waits for the response. */
export function calm(step: Step): Step {
  const { backgroundMs: _backgroundMs, ...rest } = step;
  return { ...rest, faults: [], patienceMs: 100_000 };
}

/** Returns whether a plan fails. */
export type Fails = (steps: readonly Step[]) => Promise<boolean>;

/** Removes as many steps as possible while the plan still fails: first the end, then parts of any size, then faults. */
export async function reduce(steps: readonly Step[], fails: Fails): Promise<Step[]> {
  let current = await cutEnd(steps, fails);
  for (
    let size = Math.ceil(current.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    let start = 0;
    while (start < current.length) {
      const without = [...current.slice(0, start), ...current.slice(start + size)];
      if (without.length > 0 && (await fails(without))) current = without;
      else start += size;
    }
  }
  for (const step of current) {
    const calmer = current.map((each) => (each === step ? calm(step) : each));
    const isCalm = isDeepStrictEqual(step, calm(step));
    if (!isCalm && (await fails(calmer))) current = calmer;
  }
  return current;
}

/** Finds the shortest start of the plan that fails. A longer one usually fails too. */
async function cutEnd(steps: readonly Step[], fails: Fails): Promise<Step[]> {
  let shortest = steps.length;
  let tooShort = 0;
  while (shortest - tooShort > 1) {
    const middle = Math.floor((shortest + tooShort) / 2);
    if (await fails(steps.slice(0, middle))) shortest = middle;
    else tooShort = middle;
  }
  return steps.slice(0, shortest);
}

const toldEvents = new RegExp(
  `( (${callFaults.join("|")})$| is killed| is cut off| moves to| restarts|alarm (lost|late|twice)|the schedule failed)`,
);

/** Returns the lines of a trace that a reader needs: actions of clients and the platform, and the errors. */
export function tellStory(trace: readonly string[]): string[] {
  const start = Number(trace.find((line) => / step \d+ /.test(line))?.split(" ")[0]);
  return trace.flatMap((line) => {
    const [time = "", ...rest] = line.split(" ");
    const text = rest.join(" ");
    const isTold =
      /^(step \d+ |WRONG|s\d+ (GET|POST|PUT|PATCH|DELETE) |isolate\d+ starts)/.test(text) ||
      toldEvents.test(text);
    const seconds = ((Number(time) - start) / 1000).toFixed(3);
    return isTold && Number(time) >= start ? [`${seconds.padStart(9)} s  ${text}`] : [];
  });
}
