import type { Child } from "hono/jsx";
import { dayInput, Input, InputErrors, useField } from "#html/inputs.tsx";
import { formatDay, useViewer } from "#html/viewer.tsx";
import { accessSentence, type CredentialAccess } from "./access-sentence.ts";
import { useText } from "#admin/language/index.tsx";
import { textOf, type FormValues } from "#admin/form-input.ts";
import { Origins, Limits, Permissions } from "./access-inputs.tsx";
import { ResourceChoices } from "./resource-choices.tsx";
import { isNarrow, isValidCredential, type Credential } from "#domain/credential/credential.ts";
import { roleAllows, permissions } from "#domain/credential/permissions.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { CollectionLabel } from "#actions/operand-names.ts";
import type { PageContext } from "#admin/layout.tsx";
import { CredentialLayout } from "./layout.tsx";

const dayMs = 24 * 60 * 60 * 1000;
const expiryOptions = [
  ["30d", 30],
  ["90d", 90],
  ["365d", 365],
] as const;

/** Offers the choices of expiry, each with its date. `keep` adds the choice to keep the current expiry. */
export function ExpiryInput({
  values,
  keep,
  warning,
}: {
  values: FormValues;
  keep?: Child;
  warning?: string | undefined;
}) {
  const viewer = useViewer();
  const { credentials, credentialAccess } = useText();
  const text = credentialAccess.expiry;
  const { inputProps, wrong: errors } = useField({ name: "expires" });
  const selected = textOf(values["expires"]) || (keep === undefined ? "recommended" : "keep");
  const choice = (value: string, name: Child, hint?: Child) => (
    <label class="choice">
      <input type="radio" name="expires" value={value} checked={selected === value} />
      <span>
        {name} {hint ? <small>{hint}</small> : null}
      </span>
    </label>
  );
  return (
    <fieldset
      class="expiry"
      role="radiogroup"
      aria-invalid={inputProps["aria-invalid"]}
      aria-describedby={inputProps["aria-describedby"]}
      id={inputProps.id}
      tabindex={-1}
    >
      <legend>{credentials.labels.expires}</legend>
      {warning === undefined ? null : <p class="notice warn">{warning}</p>}
      {keep === undefined
        ? choice("recommended", text.recommended, text.recommendedHint)
        : choice("keep", text.keep, keep)}
      {expiryOptions.map(([value, days]) =>
        choice(value, text.choices[value], text.on(formatDay(viewer, viewer.now + days * dayMs))),
      )}
      {choice("day", text.day)}
      <div class="only" data-only="expires">
        <Input
          name="expires_on"
          {...dayInput}
          label={credentials.labels.expires_on}
          hint={text.dayHint(viewer.zone.replaceAll("_", " "))}
          value={textOf(values["expires_on"])}
        />
      </div>
      <input type="hidden" name="time_zone" value={textOf(values["time_zone"]) || viewer.zone} />
      {choice("never", text.never, text.neverHint)}
      <InputErrors id={inputProps.id} wrong={errors} />
    </fieldset>
  );
}

interface AccessPageProps {
  frame: PageContext;
  credential: Credential;
  reachable: readonly CollectionLabel[];
  /** A permission that a rejected call lacked. It is selected but not saved yet. */
  add?: string | undefined;
  values?: FormValues;
  problem?: Problem;
}

export function AccessPage({
  frame,
  credential,
  reachable,
  add,
  values,
  problem,
}: AccessPageProps) {
  const { id, kind, revokedAt, version } = credential;
  const currentValues: FormValues = {
    ...credential,
    ...credential.limits,
    resources: credential.resources,
    permissions: [...credential.permissions, ...(add ? [add] : [])],
    time_zone: credential.expiresZone,
  };
  const shownValues = values ?? currentValues;
  const { credentials, credentialAccess: text, terms } = frame.text;
  const viewsPath = (name: string) => {
    const query = new URLSearchParams({ ...(add ? { add } : {}), views: name });
    return `/admin/integrations/${id}/access?${query.toString()}`;
  };
  const role = roleAllows(frame.member.role, "credentials")
    ? (credential.createdBy.role ?? "viewer")
    : frame.member.role;
  const mayHaveOtherViews =
    isNarrow(credential.resources) && !isValidCredential(credential, frame.viewer.now);
  if (revokedAt !== null) {
    return (
      <CredentialLayout {...{ frame, credential, reachable }} tab="access">
        <p class="notice quiet">{text.revoked}</p>
        <ul>
          {credential.permissions.map((permission) => (
            <li>{credentials.permissions[permission]}</li>
          ))}
        </ul>
      </CredentialLayout>
    );
  }
  return (
    <CredentialLayout {...{ frame, credential, reachable }} tab="access" problem={problem}>
      {add ? <AddedPermission permission={add} /> : null}
      <NarrowAccess {...credential} reachable={reachable} />
      <form method="post" action={`/admin/integrations/${id}`} class="issue" data-warn="">
        <input type="hidden" name="version" value={String(version)} />
        <input type="hidden" name="purpose" value="custom" />
        <Permissions role={role} values={shownValues} isToken={kind === "token"} />
        <ResourceChoices reachable={reachable} values={shownValues} viewsPath={viewsPath} />
        <Input
          name="name"
          label={credentials.labels.name}
          required
          maxlength={200}
          value={textOf(shownValues["name"])}
        />
        <ExpiryInput
          values={values ?? { time_zone: currentValues["time_zone"] }}
          keep={<CurrentExpiry credential={credential} />}
          warning={mayHaveOtherViews ? text.expiry.otherViews : undefined}
        />
        <Limits values={shownValues} />
        <Origins values={shownValues} />
        <button type="submit">{terms.saveChanges}</button>
      </form>
    </CredentialLayout>
  );
}

/** Describes the access of a credential with views. A script hides the description when the form has other choices. */
export function NarrowAccess({
  permissions: granted,
  resources,
  reachable,
}: Pick<AccessPageProps, "reachable"> & CredentialAccess) {
  const text = useText();
  if (resources === "all" || !isNarrow(resources)) return null;
  return (
    <section class="card" data-selection-summary="">
      <h2>{text.credentialAccess.summary.title}</h2>
      <p hidden>{text.credentialAccess.otherSelection}</p>
      <p>{accessSentence({ permissions: granted, resources }, reachable, text)}</p>
      <p class="muted">
        {text.credentialAccess.viewRule}{" "}
        <a href="/docs/views#what-a-partner-can-and-cannot-learn">
          {text.credentialAccess.viewGuide}
        </a>
      </p>
    </section>
  );
}

function CurrentExpiry({ credential: { expiresAt } }: { credential: Credential }) {
  const viewer = useViewer();
  const text = useText().credentialAccess.expiry;
  return <>{expiresAt === null ? text.currentNever : text.on(formatDay(viewer, expiresAt))}</>;
}

function AddedPermission({ permission }: { permission: string }) {
  const name = permissions.find((candidate) => candidate === permission);
  const { credentials, credentialAccess } = useText();
  return name === undefined ? null : (
    <p class="notice warn">{credentialAccess.added(credentials.permissions[name])}</p>
  );
}
