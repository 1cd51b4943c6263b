import { overdueAfterMs } from "../../../src/gate/pending-writes.ts";
import type { Random } from "../../soak/random.ts";
import { allCollections, collections, kindOf, type CollectionKey } from "../definitions.ts";
import { findPlaces } from "../ownership.ts";
import type { Step } from "../plan.ts";
import { quiet } from "../world.ts";
import { credentialOfStep, pathOf, Subject } from "./caller.ts";
import { deleteItem } from "./changes.ts";
import { createEffect } from "./effects.ts";
import { explain } from "./explain.ts";

/** After a pause of this length, the object of a credential stores each write before it admits the next one. */
const pauseMs = 8000;

/** The collections that always exist. */
const listed = allCollections.map(({ key }) => key).filter((key) => key !== "polls");

/** Clients that use an item immediately after writing it, while calls fail and objects restart. */
export class OwnWrites extends Subject {
  readonly steps = {
    undo: (step: Step) => this.#undo(step),
    readBack: (step: Step, random: Random) => this.#readBack(step, random),
    lateReads: (step: Step, random: Random) => this.#readLate(step, random),
  };

  /** Creates a submission and deletes it. A call of the create that failed may still run afterwards. */
  async #undo(step: Step): Promise<void> {
    const id = await this.#create(step, "visits", credentialOfStep(step));
    const item = this.caller.history.items.get(id ?? "");
    // The former versions may store a deleted item again.
    if (item && !this.caller.isMixed()) await deleteItem(this.caller, step, "visits", item);
  }

  /** Creates an item, and lists the items in other isolates. The object of the credential may restart in between. */
  async #readBack(step: Step, random: Random): Promise<void> {
    const { world, template } = this.caller;
    const { key } = random.pick(collections.slice(0, 2));
    if (random.chance(0.5)) await world.scheduler.timer(pauseMs, () => true).done;
    const id = await this.#create(step, key, quiet);
    if (id === undefined) return;
    if (random.chance(0.5)) {
      const gate = `CredentialGate:${template.credentials[quiet]?.id}`;
      world.objects.actors.get(gate)?.stop("is killed");
    }
    await Promise.all([this.#list(step, key), this.#list(step, key)]);
  }

  /**
   * Creates an item. All isolates often restart, so that nothing reports the write to the object of the credential.
   * After a minute, when such a write has ended, reads a collection in another database, which confirms only that
   * database. Then lists the items.
   */
  async #readLate(step: Step, random: Random): Promise<void> {
    const { world } = this.caller;
    const { scheduler } = world;
    const { key } = random.pick(collections.slice(0, 2));
    if ((await this.#create(step, key, quiet)) === undefined) return;
    if (random.chance(0.7)) for (const index of world.isolates.keys()) world.startIsolate(index);
    await scheduler.timer(overdueAfterMs + pauseMs, () => true).done;
    const owners = findPlaces(world);
    const others = listed.filter((other) => owners.get(other) !== owners.get(key));
    if (others.length > 0) await this.#list(step, random.pick(others));
    await scheduler.timer(pauseMs, () => true).done;
    await Promise.all(Array.from({ length: 3 }, () => this.#list(step, key)));
  }

  /** Returns the ID of the new item, and undefined if the outcome is unknown. */
  async #create(step: Step, key: CollectionKey, credential: number): Promise<string | undefined> {
    const { caller } = this;
    const data = { title: `w${step.number}` };
    const effect = createEffect(data, kindOf(key) === "app" ? null : "submitted");
    const description = `create ${data.title} in ${key}`;
    const write = caller.write(step, description, key, [effect], { commit: null }, credential);
    const headers = { "X-Request-Id": write.request };
    const { answer } = await caller.send(step, "POST", pathOf(key), { data }, headers, credential);
    if (answer === "lost" || !caller.settle(write, answer, [201], credential)) return undefined;
    if (write.commit === null) caller.history.wrong(`${write.description} is not stored`);
    caller.history.match(answer.body, write.description);
    caller.acknowledge(credential, write);
    return answer.body.id;
  }

  async #list(step: Step, key: CollectionKey): Promise<void> {
    const what = `step ${step.number} list of ${key}, which it has just written to`;
    const oldest = this.caller.ownMoment(quiet, key);
    const path = `${pathOf(key)}?limit=200`;
    const { answer, ended } = await this.caller.send(step, "GET", path, undefined, {}, quiet);
    if (!this.caller.isRead(answer, quiet, [200], what)) return;
    const { items, links } = answer.body;
    if (links.next !== null) return;
    explain(this.caller.history, {
      what,
      key,
      documents: items,
      oldest,
      newest: ended,
      matches: () => true,
    });
  }
}
