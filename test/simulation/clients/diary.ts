import type { Random } from "../../soak/random.ts";
import type { Effect } from "../history.ts";
import type { Step } from "../plan.ts";
import { credentialOfStep, isGone, itemPath, pathOf, Subject } from "./caller.ts";
import { createEffect, updateEffect } from "./effects.ts";

/** Clients that close and reopen entries. Old closed entries are erased. */
export class Diary extends Subject {
  readonly steps = {
    diary: (step: Step, random: Random) => this.#use(step, random),
  };

  async #use(step: Step, random: Random): Promise<void> {
    if (random.chance(0.2)) {
      await this.#enter(step);
      return;
    }
    const item = this.caller.pickItem(random, "diary");
    if (!item) return;
    const isClosed = item.states.at(-1)?.status === "closed";
    const { id, states } = item;
    const effect = isClosed ? reopenEffect(id) : updateEffect(id, {}, "closed", null);
    const description = `${isClosed ? "reopens" : "closes"} ${id}`;
    const write = this.caller.write(step, description, "diary", [effect]);
    if (isClosed) write.actor = "member:01JMEMBER";
    const headers = { "X-Request-Id": write.request };
    const { answer, ended } = isClosed
      ? await this.caller.send(step, "POST", `/admin/forms/diary/items/${id}/reopen`, {}, headers)
      : await this.caller.send(step, "PATCH", itemPath("diary", id), { status: "closed" }, headers);
    if (answer === "lost") return;
    const allowed = [200, 204, 303, 404, 409, 422];
    if (this.caller.settle(write, answer, allowed, credentialOfStep(step))) return;
    if (answer.status === 404 && !isGone(states, ended))
      this.caller.history.wrong(`${description} returned 404, but it exists`);
  }

  async #enter(step: Step): Promise<void> {
    const data = { title: `e${step.number}` };
    const write = this.caller.write(step, "diary entry", "diary", [
      createEffect(data, "submitted"),
    ]);
    const headers = { "X-Request-Id": write.request };
    const { answer } = await this.caller.send(step, "POST", pathOf("diary"), { data }, headers);
    if (answer === "lost") return;
    const credential = credentialOfStep(step);
    if (this.caller.settle(write, answer, [201], credential))
      this.caller.acknowledge(credential, write);
  }
}

const reopenEffect =
  (id: string): Effect =>
  (before, after, change) => {
    if (change.id !== id || before?.status !== "closed") return "it was not closed";
    return after.status === "submitted" ? null : `its status is ${after.status}`;
  };
