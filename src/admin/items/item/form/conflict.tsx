import type { Field } from "../../../../domain/definition/field";
import type { ItemView } from "../../../../domain/item/item-view";
import { Time } from "../../../../html/time";
import type { Frame } from "../../../frame/frame";
import { By, NamesContext } from "../by";
import { Choice } from "./choice";

/** Fields that two people changed at the same time. */
export interface Clash {
  /** The item as it is stored now. */
  now: ItemView;
  both: readonly Field[];
  /** Fields that only the other one changed: they are taken as they are now. */
  theirs: readonly Field[];
  /** What was written here, by key. */
  mine: Record<string, unknown>;
  /** What those are called who changed it. */
  names: ReadonlyMap<string, string>;
}

/** Both values of each field, to choose from; nothing of either is lost before somebody has chosen. */
export function Conflict({ clash, frame }: { clash: Clash; frame: Frame }) {
  const { now, both, theirs, mine, names } = clash;
  const others = theirs.filter((field) => !both.includes(field));
  return (
    <section class="notice warn conflict" aria-labelledby="conflict">
      <h2 id="conflict">
        Changed <Time at={now.updatedAt} as="distance" /> by{" "}
        <NamesContext.Provider value={names}>
          <By actor={now.updatedBy} frame={frame} />
        </NamesContext.Provider>
      </h2>
      {both.map((field) => (
        <fieldset>
          <legend>{field.label}</legend>
          <Choice field={field} name="mine" title="What you wrote" value={mine[field.key]} />
          <Choice
            field={field}
            name="theirs"
            title="What is stored now"
            value={now.data[field.key]}
          />
        </fieldset>
      ))}
      {others.length > 0 ? (
        <p>Taken over as it is now: {others.map(({ label }) => label).join(", ")}.</p>
      ) : null}
    </section>
  );
}
