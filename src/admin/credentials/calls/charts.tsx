import type { CallLog } from "../../../gate/call-log";
import { showClock, showDay, useReader } from "../../../html/reader";
import { Plot } from "../../plot";

const hour = 60 * 60 * 1000;

export function Hours({ log, now }: { log: CallLog; now: number }) {
  const reader = useReader();
  const last = Math.floor(now / hour);
  const bars = Array.from({ length: 24 }, (_, i) => {
    const { calls = 0, refused = 0 } = log.hours[last - 23 + i] ?? {};
    const label = showClock(reader, (last - 23 + i) * hour).replace(/:00(?=$|\D)/, "");
    return { label, value: calls, bad: refused };
  });
  return <Plot title="Last 24 hours" noun={["call", "calls"]} bars={bars} />;
}

export function Days({ log, now }: { log: CallLog; now: number }) {
  const reader = useReader();
  const today = Math.floor(now / hour / 24);
  const bars = Array.from({ length: 30 }, (_, i) => {
    const from = (today - 29 + i) * 24;
    const hours = Array.from({ length: 24 }, (__, each) => log.hours[from + each]);
    return {
      label: showDay(reader, from * hour + 12 * hour),
      value: hours.reduce((sum, each) => sum + (each?.calls ?? 0), 0),
      bad: hours.reduce((sum, each) => sum + (each?.refused ?? 0), 0),
    };
  });
  return <Plot title="Last 30 days" noun={["call", "calls"]} bars={bars} />;
}
