import type { Waiting } from "../../../domain/webhook/delivery";
import { Act } from "../../../html/act";
import { Time } from "../../../html/time";
import { useReader } from "../../../html/reader";

export function Waits({ failure: { tries, nextAt }, path }: { failure: Waiting; path: string }) {
  return (
    <div class="notice warn actions">
      <span>
        {tries === 1 ? "A try" : `${tries} tries`} failed; until the message is taken, the others
        wait. The next try is at <Time at={nextAt} as={clockOr(nextAt, useReader().now)} />.
      </span>
      <Act action={path} name="Try now" quiet little values={{ state: "active" }} />
    </div>
  );
}

const near = 20 * 60 * 60 * 1000;

/** The clock alone, where the day speaks for itself. */
export const clockOr = (at: number, now: number) => (Math.abs(now - at) < near ? "clock" : "time");
