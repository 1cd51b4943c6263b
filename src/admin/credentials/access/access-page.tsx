import { Origins } from "./origins";
import type { Credential } from "../../../domain/credential/credential";
import { may } from "../../../domain/credential/roles";
import { permissions } from "../../../domain/credential/permissions";
import type { Problem } from "../../../domain/problem/problem";
import { Input } from "../../../html/form/input";
import { showDay, useReader } from "../../../html/reader";
import type { Reachable } from "../../../store/credentials/reachable";
import type { Frame } from "../../frame/frame";
import { textOf, type Sent } from "../../frame/sent";
import { AccessTo } from "./access-to";
import { Expiry } from "./expiry";
import { labels } from "./labels";
import { Limits } from "./limits";
import { Permissions } from "./permissions";
import { CredentialFrame } from "../frame/credential-frame";
import { permissionNames } from "../words";

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
