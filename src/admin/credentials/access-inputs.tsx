import { WrongWith, useField, Input, TextArea, Choices } from "#html/inputs.tsx";
import type { Reachable } from "#store/home/credential-lists.ts";
import { type Sent, numberOf } from "#admin/form-input.ts";
import { labels, listed, permissionNames } from "./describe.ts";
import { defaultLimits } from "#domain/credential/credential.ts";
import { permissions, within, type Role } from "#domain/credential/permissions.ts";

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

/** Folded away until somebody needs others, or wrote something impossible. */
export function Limits({ sent }: { sent: Sent }) {
  const limit = (name: "requests" | "writes", hint: string) => (
    <Input
      name={name}
      label={labels[name]}
      hint={hint}
      type="number"
      min={1}
      max={100_000}
      value={numberOf(sent[name]) || defaultLimits[name]}
    />
  );
  const { wrong: requests } = useField({ name: "requests" });
  const { wrong: writes } = useField({ name: "writes" });
  return (
    <details open={requests.length + writes.length > 0}>
      <summary>Limits</summary>
      <div class="grid">
        {limit("requests", "of all kinds")}
        {limit("writes", "which count in both")}
      </div>
    </details>
  );
}

/** Folded away: most credentials are for servers. */
export function Origins({ sent }: { sent: Sent }) {
  const { wrong } = useField({ name: "origins" });
  const said = listed(sent["origins"]).join("\n");
  return (
    <details open={wrong.length > 0 || said !== ""}>
      <summary>Browsers</summary>
      <TextArea
        name="origins"
        label={labels.origins}
        hint="Pages of these may call with this credential, one on each line, like https://shop.example. Whoever opens such a page can take the credential: give it no more than to create."
        value={said}
        rows={3}
      />
    </details>
  );
}

/** Those that the role may give; what it may not is not offered. */
export function Permissions({ role, sent, isToken }: { role: Role; sent: Sent; isToken: boolean }) {
  const offered = isToken ? within(role, permissions) : permissions;
  return (
    <Choices
      many
      name="permissions"
      label={labels.permissions}
      options={offered.map((value) => ({ value, label: permissionNames[value], hint: value }))}
      chosen={listed(sent["permissions"])}
    />
  );
}
