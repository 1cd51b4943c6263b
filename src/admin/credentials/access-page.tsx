import type { Child } from "hono/jsx";
import { Input, WrongWith, useField } from "#html/inputs.tsx";
import { showDay, useReader } from "#html/viewer.tsx";
import { textOf, type Sent } from "#admin/form-input.ts";
import { labels, permissionNames } from "./describe.ts";
import { Origins, AccessTo, Limits, Permissions } from "./access-inputs.tsx";
import type { Credential } from "#domain/credential/credential.ts";
import { may, permissions } from "#domain/credential/permissions.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { Reachable } from "#store/home/credential-lists.ts";
import type { Frame } from "#admin/layout.tsx";
import { CredentialFrame } from "./layout.tsx";

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
      <WrongWith id={wired.id} wrong={wrong} />
    </fieldset>
  );
}

interface Shown {
  frame: Frame;
  credential: Credential;
  reachable: readonly Reachable[];
  /** A permission that a refused call lacked: ticked, and not saved yet. */
  add?: string | undefined;
  sent?: Sent;
  problem?: Problem;
}

export function AccessPage({ frame, credential, reachable, add, sent, problem }: Shown) {
  const { id, kind, revokedAt, version } = credential;
  const now: Sent = {
    ...credential,
    ...credential.limits,
    resources: credential.resources,
    permissions: [...credential.permissions, ...(add ? [add] : [])],
    time_zone: credential.expiresZone,
  };
  const shown = sent ?? now;
  const role = may(frame.member.role, "credentials")
    ? (credential.createdBy.role ?? "viewer")
    : frame.member.role;
  if (revokedAt !== null) {
    return (
      <CredentialFrame frame={frame} credential={credential} tab="Access">
        <p class="notice quiet">It is revoked: what it could do is only kept to be read.</p>
        <ul>
          {credential.permissions.map((permission) => (
            <li>{permissionNames[permission]}</li>
          ))}
        </ul>
      </CredentialFrame>
    );
  }
  return (
    <CredentialFrame frame={frame} credential={credential} tab="Access" problem={problem}>
      {add ? <Added permission={add} /> : null}
      <form method="post" action={`/admin/integrations/${id}`} class="issue">
        <input type="hidden" name="version" value={String(version)} />
        <input type="hidden" name="purpose" value="custom" />
        <Permissions role={role} sent={shown} isToken={kind === "token"} />
        <AccessTo reachable={reachable} sent={shown} />
        <Input
          name="name"
          label={labels.name}
          required
          maxlength={200}
          value={textOf(shown["name"])}
        />
        <Expiry
          sent={sent ?? { time_zone: now["time_zone"] }}
          keep={<Now credential={credential} />}
        />
        <Limits sent={shown} />
        <Origins sent={shown} />
        <button type="submit">Save changes</button>
      </form>
    </CredentialFrame>
  );
}

function Now({ credential: { expiresAt } }: { credential: Credential }) {
  const reader = useReader();
  return <>{expiresAt === null ? "never" : `on ${showDay(reader, expiresAt)}`}</>;
}

function Added({ permission }: { permission: string }) {
  const known = permissions.find((each) => each === permission);
  return known === undefined ? null : (
    <p class="notice warn">
      “{permissionNames[known]}” is ticked below. Save the changes to give it to this credential.
    </p>
  );
}
