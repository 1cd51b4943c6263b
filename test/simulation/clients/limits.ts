import type { Random } from "../../soak/random.ts";
import type { Step } from "../plan.ts";
import { smallLimits } from "../world.ts";
import { pathOf, Subject } from "./caller.ts";
import { createEffect } from "./effects.ts";

/** Clients that exceed their limits. */
export class Limits extends Subject {
  readonly steps = {
    burst: (step: Step, random: Random) => this.#burst(step, random),
  };

  /** Sends more requests at once than the limits allow. */
  async #burst(step: Step, random: Random): Promise<void> {
    const calls = Array.from({ length: smallLimits.requests + 3 }, async () => {
      const { answer } = await this.caller.send(
        step,
        "GET",
        "me",
        undefined,
        {},
        smallLimits.credential,
      );
      this.caller.isRead(answer, smallLimits.credential, [200], "GET /me");
    });
    const data = { title: `w${step.number}`, n: random.int(0, 3) };
    const effect = createEffect(data, "submitted");
    const writes = Array.from({ length: smallLimits.writes + 1 }, async () => {
      const write = this.caller.write(
        step,
        `burst create`,
        "visits",
        [effect],
        { commit: null },
        smallLimits.credential,
      );
      const { answer } = await this.caller.send(
        step,
        "POST",
        pathOf("visits"),
        { data },
        { "X-Request-Id": write.request },
        smallLimits.credential,
      );
      if (this.caller.settle(write, answer, [201], smallLimits.credential))
        this.caller.acknowledge(smallLimits.credential, write);
    });
    await Promise.all(random.chance(0.5) ? calls : writes);
  }
}
