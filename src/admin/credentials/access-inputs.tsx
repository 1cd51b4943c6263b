import { useField, Input, TextArea, ChoiceGroup } from "#html/inputs.tsx";
import { useText } from "#admin/language/index.tsx";
import { type FormValues, numberOf } from "#admin/form-input.ts";
import { toTextList } from "./describe.ts";
import { defaultRateLimits, type RateLimits } from "#domain/credential/credential.ts";
import { permissions, filterAllowed, type Role } from "#domain/credential/permissions.ts";

/**
 * The inputs of the limits, collapsed unless a limit has an error. `recommended` are the limits for a new website
 * credential.
 */
export function Limits({
  values,
  recommended,
}: {
  values: FormValues;
  recommended?: Readonly<RateLimits>;
}) {
  const { credentials, credentialAccess } = useText();
  const text = credentialAccess.limits;
  const limit = (name: "requests" | "writes") => (
    <Input
      name={name}
      label={credentials.labels[name]}
      hint={
        recommended
          ? text.hintWithDefaults(text.hints[name], defaultRateLimits[name], recommended[name])
          : text.hints[name]
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
      <summary>{text.title}</summary>
      <div class="grid">
        {limit("requests")}
        {limit("writes")}
      </div>
    </details>
  );
}

/** The input of the origins, collapsed when empty unless `isOpen`, because most credentials are for servers. */
export function Origins({ values, isOpen }: { values: FormValues; isOpen?: boolean | undefined }) {
  const { wrong: errors } = useField({ name: "origins" });
  const lines = toTextList(values["origins"]).join("\n");
  const { credentials, credentialAccess: text } = useText();
  return (
    <details open={isOpen || errors.length > 0 || lines !== ""}>
      <summary>{text.browserAccess}</summary>
      <TextArea
        name="origins"
        label={credentials.labels.origins}
        hint={text.originsHint}
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
  const text = useText().credentials;
  return (
    <ChoiceGroup
      multiple
      name="permissions"
      label={text.labels.permissions}
      options={options.map((value) => ({
        value,
        label: text.permissions[value],
        hint: <code>{value}</code>,
      }))}
      chosen={toTextList(values["permissions"])}
    />
  );
}
