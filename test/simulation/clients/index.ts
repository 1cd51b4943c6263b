import type { CollectionKey } from "../definitions.ts";
import type { History } from "../history.ts";
import type { Step } from "../plan.ts";
import type { Template, World } from "../world.ts";
import { Aggregates } from "./aggregates.ts";
import { Caller, type PlayStep } from "./caller.ts";
import { Changes } from "./changes.ts";
import { Creates } from "./creates.ts";
import { Credentials } from "./credentials.ts";
import { Definitions } from "./definitions.ts";
import { Deletions } from "./deletions.ts";
import { Diary } from "./diary.ts";
import { Feeds } from "./feeds.ts";
import { Limits } from "./limits.ts";
import { OwnWrites } from "./own-writes.ts";
import { PartnerFeeds } from "./partner-feeds.ts";
import { Reads } from "./reads.ts";
import { References } from "./references.ts";
import { Views } from "./views.ts";

type Steps = Partial<Record<Step["kind"], PlayStep>>;

/** All clients with their knowledge. */
export class Clients {
  readonly #caller: Caller;
  readonly #restorable: { restore(): void }[];
  readonly #steps: Steps;

  constructor(world: World, history: History, template: Template) {
    const caller = new Caller(world, history, template);
    const creates = new Creates(caller);
    const reads = new Reads(caller);
    const feeds = new Feeds(caller);
    const credentials = new Credentials(caller);
    const views = new Views(caller);
    const partnerFeeds = new PartnerFeeds(caller);
    const others = [
      Changes,
      Limits,
      Definitions,
      References,
      Aggregates,
      Deletions,
      Diary,
      OwnWrites,
    ].map((Others) => new Others(caller));
    this.#caller = caller;
    const restorable = [reads, feeds, creates, credentials, views, partnerFeeds];
    this.#restorable = restorable;
    const subjects = [...restorable, ...others];
    this.#steps = Object.assign({}, ...subjects.map(({ steps }) => steps)) as Steps;
  }

  /** Plays one step and judges the observations. */
  async play(step: Step): Promise<void> {
    await this.#steps[step.kind]?.(step, this.#caller.world.scheduler.activity.random);
  }

  /** Restores the database of these collections to a commit. Clients forget their knowledge of the time after it. */
  restore(commit: number, keys: ReadonlySet<CollectionKey>): void {
    this.#caller.restore(commit, keys);
    for (const subject of this.#restorable) subject.restore();
  }
}
