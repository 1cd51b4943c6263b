import { InputErrors, useField, Input, TextArea, ChoiceGroup } from "#html/inputs.tsx";
import { describeView } from "#admin/describe-view.ts";
import { useText } from "#admin/language/index.tsx";
import type { CollectionLabel } from "#store/home/credential-lists.ts";
import { type FormValues, numberOf } from "#admin/form-input.ts";
import { credentialLabels, toTextList, permissionLabels } from "./describe.ts";
import { defaultRateLimits, type RateLimits } from "#domain/credential/credential.ts";
import { permissions, filterAllowed, type Role } from "#domain/credential/permissions.ts";

const filterThreshold = 8;

/** Everything, or a selection. Neither is preselected. */
export function ResourceChoices({
  reachable,
  values,
  label = credentialLabels.resources,
  offersViews = false,
}: {
  reachable: readonly CollectionLabel[];
  values: FormValues;
  label?: string;
  offersViews?: boolean;
}) {
  const { inputProps, wrong: errors } = useField({ name: "resources" });
  const text = useText();
  const selected = toTextList(values["resources"]);
  const isAll = values["scope"] === "all" || selected.includes("all");
  const nouns = [
    ["form", "Forms"],
    ["app", "Apps"],
  ] as const;
  return (
    <fieldset class="access" aria-describedby={inputProps["aria-describedby"]}>
      <legend>{label}</legend>
      <label class="choice">
        <input id={inputProps.id} type="radio" name="scope" value="all" checked={isAll} />
        <span>
          All forms and apps <small>including those created later</small>
        </span>
      </label>
      <label class="choice">
        <input type="radio" name="scope" value="only" checked={!isAll && selected.length > 0} />
        <span>Only selected forms and apps</span>
      </label>
      <div class="only" data-only="scope">
        {reachable.length > filterThreshold ? (
          <input
            type="search"
            data-filter="resources"
            aria-label="Search forms and apps"
            placeholder="Search by name"
            hidden
          />
        ) : null}
        {nouns.map(([kind, noun]) => {
          const kindLabels = reachable.filter((collection) => collection.kind === kind);
          return kindLabels.length === 0 ? null : (
            <div role="group" aria-label={noun}>
              <small>{noun}</small>
              {kindLabels.map(({ key, name, views }) => (
                <>
                  <ResourceChoice value={`${kind}:${key}`} name={name} of={key} chosen={selected} />
                  {(offersViews ? views : []).map((view) => (
                    <ResourceChoice
                      value={`${kind}:${key}/${view.key}`}
                      name={`${name}: only “${view.name}”`}
                      of={describeView(view, text)}
                      chosen={selected}
                    />
                  ))}
                </>
              ))}
            </div>
          );
        })}
      </div>
      <InputErrors id={inputProps.id} wrong={errors} />
    </fieldset>
  );
}

function ResourceChoice({
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

/** Collapsed unless a limit has an error. `recommended` has the limits of a website form, for a new credential. */
export function Limits({
  values,
  recommended,
}: {
  values: FormValues;
  recommended?: Readonly<RateLimits>;
}) {
  const limit = (name: "requests" | "writes", hint: string) => (
    <Input
      name={name}
      label={credentialLabels[name]}
      hint={
        recommended
          ? `${hint}. If blank: ${defaultRateLimits[name]}, or ${recommended[name]} for a website form.`
          : hint
      }
      type="number"
      min={1}
      max={100_000}
      value={numberOf(values[name]) || (recommended ? "" : defaultRateLimits[name])}
    />
  );
  const { wrong: requestErrors } = useField({ name: "requests" });
  const { wrong: writeErrors } = useField({ name: "writes" });
  return (
    <details open={requestErrors.length + writeErrors.length > 0}>
      <summary>Rate limits</summary>
      <div class="grid">
        {limit("requests", "Reads and writes together")}
        {limit("writes", "Also count toward requests")}
      </div>
    </details>
  );
}

/** Collapsed when empty, because most credentials are for servers. */
export function Origins({ values }: { values: FormValues }) {
  const { wrong: errors } = useField({ name: "origins" });
  const lines = toTextList(values["origins"]).join("\n");
  return (
    <details open={errors.length > 0 || lines !== ""}>
      <summary>Browser access</summary>
      <TextArea
        name="origins"
        label={credentialLabels.origins}
        hint="One origin per line, like https://shop.example. Any visitor can extract the credential, so grant only create permissions."
        value={lines}
        rows={3}
      />
    </details>
  );
}

/** Offers only the permissions that the role may grant to a personal token. */
export function Permissions({
  role,
  values,
  isToken,
}: {
  role: Role;
  values: FormValues;
  isToken: boolean;
}) {
  const options = isToken ? filterAllowed(role, permissions) : permissions;
  return (
    <ChoiceGroup
      multiple
      name="permissions"
      label={credentialLabels.permissions}
      options={options.map((value) => ({ value, label: permissionLabels[value], hint: value }))}
      chosen={toTextList(values["permissions"])}
    />
  );
}
