import { WrongWith } from "../../../html/form/field";
import { useField } from "../../../html/form/use-field";
import type { Reachable } from "../../../store/credentials/reachable";
import type { Sent } from "../../frame/sent";
import { labels, listed } from "./labels";

const fewResources = 8;

/** Everything, or only these: nothing is chosen before somebody chooses. */
export function AccessTo({
  reachable,
  sent,
  label = labels.resources,
}: {
  reachable: readonly Reachable[];
  sent: Sent;
  label?: string;
}) {
  const { wired, wrong } = useField({ name: "resources" });
  const chosen = listed(sent["resources"]);
  const all = sent["scope"] === "all" || chosen.includes("all");
  const nouns = [
    ["form", "Forms"],
    ["app", "Apps"],
  ] as const;
  return (
    <fieldset class="access" aria-describedby={wired["aria-describedby"]}>
      <legend>{label}</legend>
      <label class="choice">
        <input id={wired.id} type="radio" name="scope" value="all" checked={all} />
        <span>
          Everything <small>also what is made later</small>
        </span>
      </label>
      <label class="choice">
        <input type="radio" name="scope" value="only" checked={!all && chosen.length > 0} />
        <span>Only these</span>
      </label>
      <div class="only" data-only="scope">
        {reachable.length > fewResources ? (
          <input
            type="search"
            data-filter="resources"
            aria-label="Find forms and apps"
            placeholder="Find by name"
            hidden
          />
        ) : null}
        {nouns.map(([kind, noun]) => {
          const some = reachable.filter((each) => each.kind === kind);
          return some.length === 0 ? null : (
            <div role="group" aria-label={noun}>
              <small>{noun}</small>
              {some.map(({ key, name }) => (
                <Resource value={`${kind}:${key}`} name={name} of={key} chosen={chosen} />
              ))}
            </div>
          );
        })}
      </div>
      <WrongWith id={wired.id} wrong={wrong} />
    </fieldset>
  );
}

function Resource({
  value,
  name,
  of,
  chosen,
}: {
  value: string;
  name: string;
  of: string;
  chosen: readonly string[];
}) {
  return (
    <label class="choice" data-filtered="resources">
      <input type="checkbox" name="resources" value={value} checked={chosen.includes(value)} />
      <span>
        {name} <small>{of}</small>
      </span>
    </label>
  );
}
