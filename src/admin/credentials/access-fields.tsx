import type { Child } from "hono/jsx";
import { defaultLimits } from "../../domain/credential/credential";
import { permissions, within, type Role } from "../../domain/credential/permissions";
import { Choices } from "../../html/form/choices";
import { Input } from "../../html/form/input";
import { useField } from "../../html/form/use-field";
import { showDay, useReader } from "../../html/reader";
import type { Reachable } from "../../store/credentials/lists";
import { numberOf, textOf, type Sent } from "../frame/sent";
import { permissionNames } from "./words";

export const labels = {
  name: "Name",
  kind: "Kind",
  purpose: "Purpose",
  permissions: "Permissions",
  resources: "Access to",
  expires: "Expires",
  expires_on: "Day",
  requests: "Requests a minute",
  writes: "Writes a minute",
  origins: "Allowed origins",
};

export const listed = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(textOf) : value === undefined ? [] : [textOf(value)];

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
      {wrong.length === 0 ? null : (
        <span class="error" id={`${wired.id}-wrong`}>
          {wrong.join(" ")}
        </span>
      )}
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

const day = 24 * 60 * 60 * 1000;
const spans = [
  ["30d", "In 30 days", 30],
  ["90d", "In 90 days", 90],
  ["365d", "In a year", 365],
] as const;

/** One control that always says the day on which it ends. */
export function Expiry({ sent, keep }: { sent: Sent; keep?: Child }) {
  const reader = useReader();
  const { wired, wrong } = useField({ name: "expires" });
  const chosen = textOf(sent["expires"]) || (keep === undefined ? "90d" : "keep");
  const choice = (value: string, name: Child, told?: Child) => (
    <label class="choice">
      <input type="radio" name="expires" value={value} checked={chosen === value} />
      <span>
        {name} {told ? <small>{told}</small> : null}
      </span>
    </label>
  );
  return (
    <fieldset
      class="expiry"
      role="radiogroup"
      aria-invalid={wired["aria-invalid"]}
      aria-describedby={wired["aria-describedby"]}
      id={wired.id}
      tabindex={-1}
    >
      <legend>{labels.expires}</legend>
      {keep === undefined ? null : choice("keep", "As now", keep)}
      {spans.map(([value, name, days]) =>
        choice(value, name, `on ${showDay(reader, reader.now + days * day)}`),
      )}
      {choice("day", "At the end of a day")}
      <div class="only" data-only="expires">
        <Input
          name="expires_on"
          type="date"
          label="Day"
          hint={`in ${reader.zone.replaceAll("_", " ")}`}
          value={textOf(sent["expires_on"])}
        />
      </div>
      <input type="hidden" name="time_zone" value={textOf(sent["time_zone"]) || reader.zone} />
      {choice("never", "Never", "until it is revoked")}
      {wrong.length === 0 ? null : (
        <span class="error" id={`${wired.id}-wrong`}>
          {wrong.join(" ")}
        </span>
      )}
    </fieldset>
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
