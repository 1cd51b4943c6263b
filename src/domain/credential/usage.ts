export interface Counted {
  calls: number;
  refused: number;
}

/** How many calls there were, as lists know it: by hours since 1970 for a day, by days (UTC) for 30. */
export interface Usage {
  hours: Record<number, Counted>;
  days: Record<number, Counted>;
}

export const noUsage = (): Usage => ({ hours: {}, days: {} });

const hour = 60 * 60 * 1000;
const lengths = { hours: hour, days: 24 * hour };

/** What is told of counts that are kept by the hour for 30 days. */
export function usageOf(hours: Record<number, Counted>, now: number): Usage {
  const usage = noUsage();
  const since = Math.floor(now / hour) - 24;
  for (const [each, { calls, refused }] of Object.entries(hours)) {
    const counted = (usage.days[Math.floor(Number(each) / 24)] ??= { calls: 0, refused: 0 });
    counted.calls += calls;
    counted.refused += refused;
    if (Number(each) >= since) usage.hours[Number(each)] = { calls, refused };
  }
  return usage;
}

/** Calls and refusals of the hours or days that begin at `from` or later and before `until`. */
export function countCalls(
  usage: Usage,
  by: keyof Usage,
  from: number,
  until = Infinity,
): { requests: number; refusals: number } {
  const counted = Object.entries(usage[by]).filter(
    ([each]) => Number(each) * lengths[by] >= from && Number(each) * lengths[by] < until,
  );
  return {
    requests: counted.reduce((sum, [, { calls }]) => sum + calls, 0),
    refusals: counted.reduce((sum, [, { refused }]) => sum + refused, 0),
  };
}
