import { isDeepStrictEqual } from "node:util";
import type { Random } from "../../soak/random.ts";
import { kinds } from "../definitions.ts";
import { momentsBetween, turnsOf, type State } from "../history.ts";
import type { Step } from "../plan.ts";
import { credentialOfStep, pathOf, pickCollection, Subject } from "./caller.ts";

/** The request of an aggregate. */
interface Asked {
  field: "a" | "twice";
  isGrouped: boolean;
  only: string | null;
}

/** Clients that compute figures. All figures of a response must be true at the same moment. */
export class Aggregates extends Subject {
  readonly steps = {
    aggregate: (step: Step, random: Random) => this.#aggregate(step, random),
  };

  async #aggregate(step: Step, random: Random): Promise<void> {
    const { key } = pickCollection(random);
    const credential = credentialOfStep(step);
    const oldest = this.caller.ownMoment(credential, key);
    const { history } = this.caller;
    const asked: Asked = {
      field: random.pick(["a", "twice"] as const),
      isGrouped: random.chance(0.6),
      only: random.chance(0.3) ? random.pick(kinds) : null,
    };
    const { field, isGrouped, only } = asked;
    const body = {
      metrics: {
        items: { op: "count" },
        sum: { op: "sum", field },
        most: { op: "max", field },
      },
      ...(isGrouped ? { group_by: [{ field: "kind" }] } : {}),
      ...(only === null ? {} : { conditions: [{ field: "kind", op: "eq", value: only }] }),
    };
    const what = `step ${step.number} figures of ${key} ${JSON.stringify(asked)}`;
    const { answer, ended } = await this.caller.send(
      step,
      "POST",
      `${pathOf(key)}/aggregate`,
      body,
    );
    if (!this.caller.isRead(answer, credential, [200, 409], what)) return;
    if (answer.status === 409) {
      if (answer.body.code !== "indexing") history.wrong(`${what}: ${answer.text}`);
      return;
    }
    const items = history.itemsOf(key);
    const figuresAt = (moment: number) =>
      computeFigures(
        items.flatMap(({ id }) => history.stateAt(id, moment) ?? []),
        asked,
      );
    const moments = momentsBetween(oldest, ended, turnsOf(items));
    const { groups } = answer.body;
    if (!moments.some((moment) => isDeepStrictEqual(figuresAt(moment), groups)))
      history.wrong(
        `${what} are ${JSON.stringify(groups)}, at no moment from ${oldest} to ${ended}`,
      );
  }
}

function computeFigures(states: readonly State[], { field, isGrouped, only }: Asked): object[] {
  const kindOfState = ({ values }: State) => (values["kind"] as string | undefined) ?? null;
  const wanted = states.filter((state) => only === null || kindOfState(state) === only);
  const figures = (group: readonly State[]) => {
    const numbers = group.flatMap(({ values }) => (values[field] as number | undefined) ?? []);
    const sum = numbers.length === 0 ? null : numbers.reduce((total, each) => total + each, 0);
    return { items: group.length, sum, most: numbers.length === 0 ? null : Math.max(...numbers) };
  };
  if (!isGrouped) return [{ key: {}, metrics: figures(wanted) }];
  return [...kinds.toSorted(), null].flatMap((kind) => {
    const group = wanted.filter((state) => kindOfState(state) === kind);
    return group.length === 0 ? [] : [{ key: { kind }, metrics: figures(group) }];
  });
}
