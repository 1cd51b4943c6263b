import type { Random } from "../../soak/random.ts";
import type { Step } from "../plan.ts";
import { collections, type CollectionKey } from "../definitions.ts";
import type { Item, State, Values, Write } from "../history.ts";
import type { Answer } from "../world.ts";
import {
  type Caller,
  codes,
  credentialOfStep,
  isGone,
  itemPath,
  pickCollection,
  Subject,
} from "./caller.ts";
import { incrementEffect, updateEffect } from "./effects.ts";

/** Clients that change and delete single items. */
export class Changes extends Subject {
  readonly steps = {
    update: (step: Step, random: Random) => this.#update(step, random),
    increment: (step: Step, random: Random) => this.#increment(step, random),
    remove: (step: Step, random: Random) => this.#remove(step, random),
    status: (step: Step, random: Random) => this.#status(step, random),
    adminUpdate: (step: Step, random: Random) => this.#adminUpdate(step, random),
  };

  async #update(step: Step, random: Random): Promise<void> {
    const { key } = pickCollection(random);
    const item = this.caller.pickItem(random, key);
    if (!item) return;
    const field = step.client % 2 === 0 ? "a" : "b";
    const data: Values = random.chance(0.25)
      ? { code: random.pick([...codes, null]) }
      : { [field]: random.int(0, 9) };
    const known = item.states.at(-1);
    const version = random.chance(0.4) && known ? known.version : null;
    await this.#patch(step, key, item.id, data, undefined, version);
  }

  async #patch(
    step: Step,
    key: CollectionKey,
    id: string,
    data: Values,
    status: string | undefined,
    version: number | null,
  ): Promise<void> {
    const credential = credentialOfStep(step);
    const description = `update ${id} ${JSON.stringify({ data, status, version })}`;
    const write = this.caller.write(step, description, key, [
      updateEffect(id, data, status, version),
    ]);
    const headers = {
      "X-Request-Id": write.request,
      ...(version === null ? {} : { "If-Match": `"${version}"` }),
    };
    const body = status === undefined ? { data } : { data, status };
    const { answer, started, ended } = await this.caller.send(
      step,
      "PATCH",
      itemPath(key, id),
      body,
      headers,
    );
    if (answer === "lost") return;
    const isStored = this.caller.settle(
      write,
      answer,
      [200, 404, 409, 412, ...(status ? [422] : [])],
      credential,
    );
    const states = this.caller.history.states(id, started, ended);
    if (isStored) this.#judgeUpdate(write, answer, states, data, credential);
    else if (answer.status === 404 && !isGone(this.caller.history.items.get(id)?.states, ended)) {
      this.caller.history.wrong(`${description} returned 404, but the item exists`);
    } else if (answer.status === 412 && !states.some((state) => state.version !== version)) {
      this.caller.history.wrong(`${description} returned 412, but the version is right`);
    } else if (answer.status === 409 && answer.body.code === "submission_closed") {
      if (!states.some((state) => state.status === "closed"))
        this.caller.history.wrong(`${description}: it is not closed`);
    } else if (answer.status === 409) {
      // A submitted draft reserves the code that it contains.
      const drafts = states.flatMap(({ values }) => values["code"] ?? []);
      const written = "code" in data ? [data["code"]] : drafts;
      this.caller.judgeConflict(write, answer, written, started, ended, id);
    }
  }

  #judgeUpdate(
    write: Write,
    { body }: Answer,
    states: State[],
    data: Values,
    credential: number,
  ): void {
    this.caller.history.match(body, write.description);
    if (write.commit === null) {
      const isUnchanged = (state: State) =>
        state.version === body.version &&
        Object.entries(data).every(([name, value]) => (state.values[name] ?? null) === value);
      if (!states.some((state) => isUnchanged(state)))
        this.caller.history.wrong(`${write.description} was answered 200, but is not stored`);
      return;
    }
    const own = this.caller.history.items
      .get(body.id)
      ?.states.find(({ from }) => from === write.commit);
    if (own?.version !== body.version)
      this.caller.history.wrong(
        `${write.description} returned version ${body.version}, stored ${own?.version}`,
      );
    this.caller.acknowledge(credential, write);
  }

  async #increment(step: Step, random: Random): Promise<void> {
    const { key } = pickCollection(random);
    const item = this.caller.pickItem(random, key);
    if (!item) return;
    const write = this.caller.write(step, `increment n of ${item.id}`, key, [
      incrementEffect(item.id),
    ]);
    const body = { data: { n: { $increment: 1 } } };
    const { answer, ended } = await this.caller.send(step, "PATCH", itemPath(key, item.id), body, {
      "X-Request-Id": write.request,
    });
    const credential = credentialOfStep(step);
    if (answer === "lost") return;
    if (!this.caller.settle(write, answer, [200, 404, 409], credential)) {
      if (answer.status === 404 && !isGone(item.states, ended))
        this.caller.history.wrong(`${write.description} returned 404`);
      return;
    }
    if (write.commit === null)
      this.caller.history.wrong(`${write.description} was answered 200, but is not stored`);
    this.caller.history.match(answer.body, write.description);
    this.caller.acknowledge(credential, write);
  }

  async #remove(step: Step, random: Random): Promise<void> {
    const { key } = random.pick(collections.slice(1));
    const item = this.caller.pickItem(random, key);
    if (!item || this.caller.mayComeBack(item)) return;
    await deleteItem(this.caller, step, key, item);
  }

  async #status(step: Step, random: Random): Promise<void> {
    const { key } = random.pick(collections.slice(1));
    const item = this.caller.pickItem(random, key);
    if (!item) return;
    const now = item.states.at(-1)?.status;
    await this.#patch(step, key, item.id, {}, now === "draft" ? "submitted" : "closed", null);
  }

  async #adminUpdate(step: Step, random: Random): Promise<void> {
    const { key, kind } = pickCollection(random);
    const item = this.caller.pickItem(random, key);
    if (!item) return;
    const data = { a: random.int(10, 19) };
    const write = this.caller.write(
      step,
      `a member updates ${item.id} ${JSON.stringify(data)}`,
      key,
      [updateEffect(item.id, data, undefined, null)],
    );
    write.actor = "member:01JMEMBER";
    const { answer } = await this.caller.send(
      step,
      "POST",
      `/admin/${kind}s/${key}/items/${item.id}`,
      { data },
      { "X-Request-Id": write.request },
    );
    this.caller.settle(write, answer, [200, 204, 303, 404, 409], 0);
  }
}

/** Deletes a submission, and judges the response. */
export async function deleteItem(
  caller: Caller,
  step: Step,
  key: CollectionKey,
  { id, states }: Item,
): Promise<void> {
  const write = caller.write(step, `delete ${id}`, key, [
    (before, after) => (after.isDeleted && before ? null : "no deletion"),
  ]);
  const headers = { "X-Request-Id": write.request };
  const { answer, ended } = await caller.send(
    step,
    "DELETE",
    itemPath(key, id),
    undefined,
    headers,
  );
  const credential = credentialOfStep(step);
  if (answer === "lost") return;
  if (caller.settle(write, answer, [204, 404, 409], credential)) {
    if (write.commit === null)
      caller.history.wrong(`${write.description} was answered 204, but it is there`);
    caller.acknowledge(credential, write);
  } else if (answer.status === 404 && !isGone(states, ended)) {
    caller.history.wrong(`${write.description} returned 404, but it exists`);
  }
}
