import type { Random } from "../../soak/random.ts";
import type { CollectionKey } from "../definitions.ts";
import { kinds } from "../definitions.ts";
import {
  codeOf,
  momentsBetween,
  placeOf,
  receiptOf,
  turnsOf,
  type Effect,
  type Item,
  type Values,
  type Write,
} from "../history.ts";
import type { Step } from "../plan.ts";
import type { Answer, Json } from "../world.ts";
import { codes, credentialOfStep, isGone, itemPath, pathOf, Subject } from "./caller.ts";
import { createEffect, updateEffect } from "./effects.ts";
import { explain } from "./explain.ts";

/** The name that a write uses for a customer, and the customer with that name at a moment. */
interface Name {
  sent: unknown;
  at: (moment: number) => string | undefined;
}

/** Clients that link orders to customers, read both together, and erase customers. */
export class References extends Subject {
  readonly steps = {
    customer: (step: Step, random: Random) => this.#customer(step, random),
    order: (step: Step, random: Random) => this.#order(step, random),
    relink: (step: Step, random: Random) => this.#relink(step, random),
    expand: (step: Step, random: Random) => this.#expand(step, random),
    erase: (step: Step, random: Random) => this.#erase(step, random),
  };

  get #customers(): Item[] {
    return this.caller.history.itemsOf("customers");
  }

  #wasEver(condition: (moment: number) => boolean, from: number, until: number): boolean {
    return momentsBetween(from, until, turnsOf(this.#customers)).some((each) => condition(each));
  }

  #pickName(random: Random): Name {
    const { history } = this.caller;
    const form = random.pick(["id", "id", "receipt", "code"] as const);
    const item = this.caller.pickItem(random, "customers");
    if (form === "code" || !item) {
      const code = random.pick(codes);
      const holds = (id: string, moment: number) => {
        const state = history.stateAt(id, moment);
        return state && codeOf(state) === code;
      };
      const at = (moment: number) => this.#customers.find(({ id }) => holds(id, moment))?.id;
      return { sent: { code }, at };
    }
    if (form === "id") return this.#nameOf(item, item.id);
    // After a restore, another record may get the number of a record that the restore undid.
    const sent = receiptOf("customers", placeOf(item));
    const holds = (each: Item, moment: number) =>
      receiptOf("customers", placeOf(each)) === sent && history.stateAt(each.id, moment);
    return { sent, at: (moment) => this.#customers.find((each) => holds(each, moment))?.id };
  }

  #nameOf({ id }: Item, sent: unknown): Name {
    return { sent, at: (moment) => (this.caller.history.stateAt(id, moment) ? id : undefined) };
  }

  /**
   * The effect that a write may have: it stores the record that had the name. The record existed when the write was
   * stored, unless the write only repeats the reference that the item already has.
   */
  #linkEffect(name: Name, link: (id: string) => Effect): Effect {
    const { history, world } = this.caller;
    const sentAt = world.moment;
    return (before, after, change) => {
      const id = after.values["customer"] as string;
      const isKept = before?.values["customer"] === id;
      if (!isKept && !history.stateAt(id, change.commit))
        return `it refers to ${id}, which was erased`;
      const hadName = () =>
        this.#wasEver((moment) => name.at(moment) === id, sentAt, change.commit);
      if (!(isKept && name.sent === id) && !hadName())
        return `it refers to ${id}, not to ${JSON.stringify(name.sent)}`;
      return link(id)(before, after, change);
    };
  }

  async #order(step: Step, random: Random, name = this.#pickName(random)): Promise<void> {
    const data: Values = {
      title: `o${step.number}`,
      kind: random.pick(kinds),
      a: random.int(0, 9),
    };
    const effect = this.#linkEffect(name, (id) =>
      createEffect({ ...data, customer: id }, "submitted"),
    );
    const write = this.caller.write(step, `order for ${JSON.stringify(name.sent)}`, "orders", [
      effect,
    ]);
    const { answer, started, ended } = await this.caller.send(
      step,
      "POST",
      pathOf("orders"),
      { data: { ...data, customer: name.sent } },
      { "X-Request-Id": write.request },
    );
    if (answer === "lost") return;
    const credential = credentialOfStep(step);
    if (this.caller.settle(write, answer, [201, 422], credential)) {
      if (write.commit === null) this.caller.history.wrong(`${write.description} is not stored`);
      this.caller.history.match(answer.body, write.description);
      this.caller.acknowledge(credential, write);
    } else if (answer.status === 422) this.#judgeUnknown(answer, name, started, ended);
  }

  async #relink(step: Step, random: Random): Promise<void> {
    const item = this.caller.pickItem(random, "orders");
    if (!item) return;
    const stored = item.states.at(-1)?.values["customer"];
    const isSame = random.chance(0.3) && stored !== undefined;
    const name = isSame ? { sent: stored, at: () => stored as string } : this.#pickName(random);
    const data: Values = random.chance(0.4)
      ? { kind: random.pick(kinds) }
      : { a: step.number % 10 };
    const effect = this.#linkEffect(name, (id) =>
      updateEffect(item.id, { ...data, customer: id }, undefined, null),
    );
    const description = `links ${item.id} to ${JSON.stringify(name.sent)}`;
    const write = this.caller.write(step, description, "orders", [effect]);
    const body = { data: { ...data, customer: name.sent } };
    const headers = { "X-Request-Id": write.request };
    const path = itemPath("orders", item.id);
    const { answer, started, ended } = await this.caller.send(step, "PATCH", path, body, headers);
    if (answer === "lost") return;
    const credential = credentialOfStep(step);
    if (this.caller.settle(write, answer, [200, 404, 422], credential)) {
      this.caller.history.match(answer.body, description);
      this.caller.acknowledge(credential, write);
    } else if (answer.status === 404 && !isGone(item.states, ended))
      this.caller.history.wrong(`${description} returned 404, but it exists`);
    else if (answer.status === 422) {
      const kept = this.caller.history.states(item.id, started, ended);
      const isKept = kept.every(({ values }) => values["customer"] === name.sent);
      if (isKept && name.sent === stored)
        this.caller.history.wrong(`${description} was refused, but changes nothing`);
      else if (!isSame) this.#judgeUnknown(answer, name, started, ended);
    }
  }

  #judgeUnknown({ body }: Answer, name: Name, from: number, until: number): void {
    const what = `the reference to ${JSON.stringify(name.sent)}`;
    if (body.errors?.[0]?.code !== "unknown_reference")
      this.caller.history.wrong(`${what} returned ${JSON.stringify(body)}`);
    if (!this.#wasEver((moment) => name.at(moment) === undefined, from, until))
      this.caller.history.wrong(`${what} was unknown, but the record existed all the time`);
  }

  async #customer(step: Step, random: Random): Promise<void> {
    const item = random.chance(0.5) ? this.caller.pickItem(random, "customers") : undefined;
    const data: Values = { kind: random.pick(kinds) };
    if (random.chance(0.5)) data["code"] = random.pick(codes);
    const created = { title: `c${step.number}`, ...data };
    const effect = item
      ? updateEffect(item.id, data, undefined, null)
      : createEffect(created, null);
    const description = `customer ${item?.id ?? "new"} ${JSON.stringify(data)}`;
    const write = this.caller.write(step, description, "customers", [effect]);
    const { answer, started, ended } = await this.caller.send(
      step,
      item ? "PATCH" : "POST",
      item ? itemPath("customers", item.id) : pathOf("customers"),
      { data: item ? data : created },
      { "X-Request-Id": write.request },
    );
    if (answer === "lost") return;
    const credential = credentialOfStep(step);
    if (this.caller.settle(write, answer, [200, 201, 404, 409], credential)) {
      this.caller.history.match(answer.body, description);
      this.caller.acknowledge(credential, write);
    } else if (answer.status === 409)
      this.caller.judgeConflict(write, answer, [data["code"]], started, ended, item?.id);
    else if (answer.status === 404 && !isGone(item?.states, ended))
      this.caller.history.wrong(`${description} returned 404, but it exists`);
  }

  /** Reads orders with their customers, or the orders of some customers. The response must be true at one moment. */
  async #expand(step: Step, random: Random): Promise<void> {
    const credential = credentialOfStep(step);
    const oldest = this.caller.ownMoment(credential, "orders");
    const { history } = this.caller;
    const kind = random.pick(kinds);
    const isSearch = random.chance(0.4);
    const matching = [
      { field: "customer", op: "matches", value: [{ field: "kind", op: "eq", value: kind }] },
    ];
    const what = `step ${step.number} orders with ${isSearch ? kind : "all"} customers`;
    const { answer, ended } = isSearch
      ? await this.caller.send(step, "POST", `${pathOf("orders")}/search?expand=customer`, {
          conditions: matching,
          limit: 200,
        })
      : await this.caller.send(step, "GET", `${pathOf("orders")}?limit=200&expand=customer`);
    if (!this.caller.isRead(answer, credential, [200], what)) return;
    const { items, included, links } = answer.body;
    if (links.next !== null) return;
    const referred = new Set(items.map(({ data }: Json) => data.customer).filter(Boolean));
    for (const document of Object.values<Json>(included)) {
      history.match(document, what);
      if (!referred.has(document.id)) history.wrong(`${what} includes ${document.id} for nothing`);
    }
    const stateOf = (id: unknown, moment: number) => history.stateAt(String(id), moment);
    explain(history, {
      what,
      key: "orders",
      documents: items,
      oldest,
      newest: ended,
      matches: ({ values }, _, moment) =>
        !isSearch || stateOf(values["customer"], moment)?.values["kind"] === kind,
      holds: (moment) =>
        [...referred].every(
          (id) => stateOf(id, moment)?.version === included[id as string]?.version,
        ),
      turns: turnsOf(this.#customers),
    });
  }

  /** A member erases a customer or an order. Afterwards, no client can read it. */
  async #erase(step: Step, random: Random): Promise<void> {
    const key: CollectionKey = random.chance(0.7) ? "customers" : "orders";
    const item = this.caller.pickItem(random, key);
    if (!item || this.caller.mayComeBack(item)) return;
    const write = this.caller.write(step, `a member erases ${item.id}`, key, [
      (before, after) => (after.isDeleted && before ? null : "no erasure"),
    ]);
    write.actor = "member:01JMEMBER";
    // Another client orders for the customer at the same time.
    const isOrdered = key === "customers" && random.chance(0.7);
    const ordered = isOrdered ? this.#order(step, random, this.#nameOf(item, item.id)) : undefined;
    const page = `/admin/${key === "customers" ? "apps" : "forms"}/${key}/items/${item.id}/erase`;
    const headers = { "X-Request-Id": write.request };
    const { answer } = await this.caller.send(step, "POST", page, {}, headers);
    // Runs before the response of the order, because a restore may undo the erasure concurrently.
    if (answer !== "lost" && this.caller.settle(write, answer, [200, 204, 303, 404, 409], 0))
      await this.#expectErased(step, key, item.id, write);
    await ordered;
  }

  async #expectErased(step: Step, key: CollectionKey, id: string, write: Write): Promise<void> {
    if (write.commit === null) this.caller.history.wrong(`${write.description}, but it is there`);
    const path = itemPath(key, id);
    const read = await this.caller.send(step, "GET", path, undefined, {
      "Cache-Control": "no-cache",
    });
    if (
      this.caller.isRead(read.answer, credentialOfStep(step), [200, 404], path) &&
      read.answer.status === 200
    )
      this.caller.history.wrong(`${id} can be read after its erasure`);
  }
}
