import type { Random } from "../../soak/random.ts";
import type { Step } from "../plan.ts";
import { credentialOfStep, pathOf, Subject } from "./caller.ts";
import { createEffect } from "./effects.ts";
import { explain } from "./explain.ts";

/** Members who delete and restore a form, and clients that use the form all the time. */
export class Deletions extends Subject {
  readonly steps = {
    deleteForm: (step: Step) => this.#deleteForm(step),
    restoreForm: (step: Step) => this.#restoreForm(step),
    poll: (step: Step, random: Random) => this.#poll(step, random),
  };

  async #deleteForm(step: Step): Promise<void> {
    const { answer, started, ended } = await this.caller.send(
      step,
      "POST",
      "/admin/forms/polls/delete",
      { confirm: "polls" },
    );
    if (answer === "lost" || answer.status >= 400) return;
    if (!this.caller.history.hadPolls(true, started, ended))
      this.caller.history.wrong(`step ${step.number} deleted the form, but it is there`);
  }

  async #restoreForm(step: Step): Promise<void> {
    const sql = "select abs(id) as id from collection where key in ('polls', '~polls')";
    const [form] = this.caller.history.databaseOf("polls").select<{ id: number }>(sql);
    const path = `/admin/deleted/${form?.id}/restore`;
    const { answer, started, ended } = await this.caller.send(step, "POST", path, {});
    if (answer === "lost" || answer.status >= 400) return;
    if (!this.caller.history.hadPolls(false, started, ended))
      this.caller.history.wrong(`step ${step.number} restored the form, but it is not there`);
  }

  async #poll(step: Step, random: Random): Promise<void> {
    await (random.chance(0.5) ? this.#vote(step, random) : this.#count(step, random));
  }

  async #vote(step: Step, random: Random): Promise<void> {
    const data = { title: `p${step.number}`, n: random.int(0, 3) };
    const write = this.caller.write(step, "vote", "polls", [createEffect(data, "submitted")]);
    const headers = { "X-Request-Id": write.request };
    const path = pathOf("polls");
    const { answer, started, ended } = await this.caller.send(
      step,
      "POST",
      path,
      { data },
      headers,
    );
    if (answer === "lost") return;
    const credential = credentialOfStep(step);
    if (this.caller.settle(write, answer, [201, 404], credential)) {
      if (write.commit === null) this.caller.history.wrong(`${write.description} is not stored`);
      this.caller.acknowledge(credential, write);
    } else if (answer.status === 404) this.#judgeGone(write.description, started, ended);
  }

  async #count(step: Step, random: Random): Promise<void> {
    const credential = credentialOfStep(step);
    const own = this.caller.ownMoment(credential, "polls");
    const isStrong = random.chance(0.5);
    const headers: Record<string, string> = isStrong ? { "Cache-Control": "no-cache" } : {};
    const path = `${pathOf("polls")}?limit=200`;
    const what = `step ${step.number} list of polls`;
    const { answer, started, ended } = await this.caller.send(
      step,
      "GET",
      path,
      undefined,
      headers,
    );
    if (!this.caller.isRead(answer, credential, [200, 404], what)) return;
    if (answer.status === 404) {
      this.#judgeGone(what, started, ended);
      return;
    }
    if (answer.body.links.next !== null) return;
    const { history } = this.caller;
    explain(history, {
      what,
      key: "polls",
      documents: answer.body.items,
      oldest: isStrong ? started : own,
      newest: ended,
      matches: () => true,
      holds: (moment) => history.hadPolls(false, moment, moment),
      turns: history.deletions.map(({ from }) => from),
    });
  }

  #judgeGone(what: string, started: number, ended: number): void {
    if (!this.caller.history.hadPolls(true, started, ended))
      this.caller.history.wrong(`${what} returned 404, but the form was there`);
  }
}
