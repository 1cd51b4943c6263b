import { isDeepStrictEqual } from "node:util";
import type { Random } from "../../soak/random.ts";
import { kinds, viewOf, type SeenThrough } from "../definitions.ts";
import { isSeen, normalize, shownOf, type Effect, type Values } from "../history.ts";
import type { Step } from "../plan.ts";
import { partner, type Json } from "../world.ts";
import { itemPath, pathOf, Subject } from "./caller.ts";
import { createEffect, updateEffect } from "./effects.ts";
import { explain } from "./explain.ts";
import { judgeHidden, judgeShown } from "./visibility.ts";

const mayWrite = (data: Values, { fields }: SeenThrough) =>
  Object.keys(data).every((key) => fields.includes(key));

/** A partner whose credential sees orders through a view, while the view changes. */
export class Views extends Subject {
  readonly steps = {
    view: (step: Step, random: Random) => this.#change(step, random),
    partner: (step: Step, random: Random) => this.#use(step, random),
  };
  /** The commit of the newest change of the view with a response. */
  #answered = 0;

  restore(): void {
    this.#answered = 0;
  }

  async #change(step: Step, random: Random): Promise<void> {
    const more = random.chance(0.5) ? ["a"] : [];
    const { history } = this.caller;
    // The feed starts again when the view shows other orders.
    const isKept = random.chance(0.5);
    const shownKinds = isKept ? history.viewAt(this.caller.world.moment).kinds : undefined;
    const seen = { kinds: shownKinds ?? random.some(kinds, 3), fields: ["title", "kind", ...more] };
    const path = "forms/orders/schema";
    const body = { views: [viewOf(seen)] };
    const { answer, started } = await this.caller.send(step, "PATCH", path, body);
    if (answer === "lost" || answer.status !== 200) return;
    const stored = this.caller.history.views.find(
      (view) => view.from > started && isDeepStrictEqual(view.seen, seen),
    );
    this.#answered = Math.max(this.#answered, stored?.from ?? 0);
  }

  async #use(step: Step, random: Random): Promise<void> {
    const chance = random.next();
    if (chance < 0.4) await this.#list(step);
    else if (chance < 0.55) await this.#read(step, random);
    else if (chance < 0.8) await this.#create(step, random);
    else await this.#update(step, random);
  }

  #send(step: Step, method: string, path: string, body?: object, headers = {}) {
    const oldest = Math.max(this.caller.ownMoment(partner, "orders"), this.#answered);
    const sent = this.caller.send(step, method, path, body, headers, partner);
    return sent.then((result) => ({ ...result, oldest }));
  }

  #viewTurns(): number[] {
    return this.caller.history.views.map(({ from }) => from);
  }

  async #list(step: Step): Promise<void> {
    const { history } = this.caller;
    const what = `step ${step.number} orders of the partner`;
    const path = `${pathOf("orders")}?limit=200`;
    const { answer, ended, oldest } = await this.#send(step, "GET", path);
    if (!this.caller.isRead(answer, partner, [200], what)) return;
    const { items, links } = answer.body;
    if (links.next !== null) return;
    explain(history, {
      what,
      key: "orders",
      documents: items.map((document: Json) => ({ ...document, data: undefined })),
      oldest,
      newest: ended,
      matches: (state, _, moment) => isSeen(state, history.viewAt(moment)),
      holds: (moment) =>
        items.every(({ id, data }: Json) => {
          const state = history.stateAt(id, moment);
          return (
            state && isDeepStrictEqual(normalize(data), shownOf(state, history.viewAt(moment)))
          );
        }),
      turns: this.#viewTurns(),
    });
  }

  async #read(step: Step, random: Random): Promise<void> {
    const item = this.caller.pickItem(random, "orders");
    if (!item) return;
    const path = itemPath("orders", item.id);
    const what = `step ${step.number} the partner's GET ${item.id}`;
    const { answer, started, ended, oldest } = await this.#send(step, "GET", path);
    if (!this.caller.isRead(answer, partner, [200, 404], what)) return;
    if (answer.status === 404) judgeHidden(this.caller.history, what, item.id, started, ended);
    else judgeShown(this.caller.history, what, answer.body, oldest, ended);
  }

  /** Returns the effect of a write whose item the view must show afterwards, and whose fields it shows. */
  #effectInView(data: Values, effect: Effect): Effect {
    return (before, after, change) => {
      const seen = this.caller.history.viewAt(change.commit);
      if (before && !isSeen(before, seen)) return "the view did not show it";
      if (!isSeen(after, seen)) return "the view does not show it";
      return mayWrite(data, seen) ? effect(before, after, change) : "the view hides a field";
    };
  }

  async #create(step: Step, random: Random): Promise<void> {
    const data = this.#values(step, random);
    const effect = this.#effectInView(data, createEffect(data, "submitted"));
    await this.#write(step, "POST", pathOf("orders"), data, effect);
  }

  async #update(step: Step, random: Random): Promise<void> {
    const item = this.caller.pickItem(random, "orders");
    if (!item) return;
    const data = this.#values(step, random);
    const effect = this.#effectInView(data, updateEffect(item.id, data, undefined, null));
    await this.#write(step, "PATCH", itemPath("orders", item.id), data, effect, item.id);
  }

  #values(step: Step, random: Random): Values {
    const more = random.chance(0.3) ? { a: random.int(0, 9) } : {};
    return { title: `v${step.number}`, kind: random.pick(kinds), ...more };
  }

  async #write(
    step: Step,
    method: string,
    path: string,
    data: Values,
    effect: Effect,
    id?: string,
  ): Promise<void> {
    const what = `the partner's ${method} ${id ?? ""} ${JSON.stringify(data)}`;
    const write = this.caller.write(step, what, "orders", [effect], { commit: null }, partner);
    const headers = { "X-Request-Id": write.request };
    const { answer, started, ended } = await this.#send(step, method, path, { data }, headers);
    if (answer === "lost") return;
    const allowed = id === undefined ? [201, 422] : [200, 404, 422];
    if (this.caller.settle(write, answer, allowed, partner)) {
      this.caller.acknowledge(partner, write);
      if (write.commit !== null)
        judgeShown(this.caller.history, what, answer.body, write.commit, ended);
    } else if (answer.status === 422) {
      const isOutside = (seen: SeenThrough) =>
        !mayWrite(data, seen) || !seen.kinds.includes(String(data["kind"]));
      if (!this.caller.history.wasEver(id ?? "", started, ended, (_, seen) => isOutside(seen)))
        this.caller.history.wrong(`${what} was refused, but the view allows it: ${answer.text}`);
    } else if (answer.status === 404 && id !== undefined)
      judgeHidden(this.caller.history, what, id, started, ended);
  }
}
