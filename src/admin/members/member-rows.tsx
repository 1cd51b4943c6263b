import { type Role, roleAllows } from "#domain/credential/permissions.ts";
import { capitalize } from "#domain/text.ts";
import { Action } from "#html/action-button.tsx";
import { Time } from "#html/viewer.tsx";
import { ChoiceGroup, SelectOptions, Input } from "#html/inputs.tsx";
import { Badge, DescriptionList } from "#html/parts.tsx";
import { useText } from "#admin/language/index.tsx";
import type { PageContext } from "#admin/layout.tsx";
import type { MemberSummary } from "#store/home/members.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";

/** An invitation. `link` is undefined for members who may not see it. */
export interface OpenInvitation {
  email: string;
  role: Role;
  expiresAt: number;
  link: string | undefined;
}

function InvitationLink({ id, label, link }: { id: string; label: string; link: string }) {
  const text = useText().members.invitations;
  return (
    <span class="link">
      <input readonly value={link} aria-label={label} />
      <code id={id} hidden>
        {link}
      </code>
      <button type="button" class="quiet little" data-copy={id} hidden>
        {text.copyLink}
      </button>
    </span>
  );
}

/** The link of the newest invitation, below the confirmation. */
export function NewInvitation({ invitations }: { invitations: readonly OpenInvitation[] }) {
  const text = useText().members.invitations;
  const [newest] = invitations.toSorted((a, b) => b.expiresAt - a.expiresAt);
  if (newest?.link === undefined) return null;
  return (
    <div class="notice">
      <InvitationLink id="new-link" label={text.newLinkFor(newest.email)} link={newest.link} />
    </div>
  );
}

/** The row of an invitation. A member who may see its link may change its role. That replaces the link. */
export function InvitationRow({
  email,
  role,
  expiresAt,
  link,
  self,
}: OpenInvitation & { self: PageContext["member"] }) {
  const { members, terms } = useText();
  const text = members.invitations;
  return (
    <tr>
      <th scope="row">{email}</th>
      <td>
        {link === undefined ? (
          capitalize(terms.roles[role])
        ) : (
          <RoleForm
            action="/admin/members"
            name={email}
            current={role}
            self={self}
            values={{ email }}
          />
        )}
      </td>
      <td data-label={text.columns.expires}>
        <Time at={expiresAt} as="distance" />
      </td>
      <td class="full">
        {link === undefined ? (
          <span class="muted">{text.ownersOnly}</span>
        ) : (
          <InvitationLink
            id={`link-${email.replaceAll(/[^\w-]/g, "-")}`}
            label={text.linkFor(email)}
            link={link}
          />
        )}
      </td>
      <td>
        {link === undefined ? null : (
          <Action
            action="/admin/members/invitations/withdraw"
            name={text.revoke}
            title={text.revokeTitle(email)}
            confirm={text.revokeConfirm}
            values={{ email }}
            little
          />
        )}
      </td>
    </tr>
  );
}

const allRoles: Role[] = ["viewer", "editor", "admin", "owner"];

/** Returns the roles that a member with this role may assign. */
function assignableRoles(role: Role) {
  return roleAllows(role, "owners") ? allRoles : allRoles.slice(0, 2);
}

/** Changes the role of a member or of an invitation. */
function RoleForm({
  action,
  name,
  current,
  self,
  values = {},
}: {
  action: string;
  name: string;
  current: Role;
  self: PageContext["member"];
  values?: Record<string, string>;
}) {
  const { members: text, terms } = useText();
  return (
    <form method="post" action={action} class="actions">
      {Object.entries(values).map(([input, value]) => (
        <input type="hidden" name={input} value={value} />
      ))}
      <select name="role" aria-label={text.roleOf(name)}>
        <SelectOptions
          options={assignableRoles(self.role).map((value) => ({
            value,
            label: capitalize(terms.roles[value]),
          }))}
          value={current}
        />
      </select>
      <button type="submit" class="quiet little">
        {text.changeRole}
      </button>
    </form>
  );
}

export function MemberRow({
  member,
  self,
}: {
  member: MemberSummary;
  self: PageContext["member"];
}) {
  const { id, email, name, role, createdAt, disabledAt } = member;
  const { members: text, terms } = useText();
  const action = `/admin/members/${id}`;
  const isPrivileged = role === "owner" || role === "admin";
  const canChange = roleAllows(self.role, isPrivileged ? "owners" : "members");
  return (
    <tr>
      <th scope="row">
        <bdi>{name || email}</bdi> {id === self.id ? <Badge tone="accent">{text.you}</Badge> : null}{" "}
        {disabledAt === null ? null : <Badge>{text.removed}</Badge>}
        {name ? <small class="muted cut">{email}</small> : null}
      </th>
      <td>
        {canChange ? (
          <RoleForm action={action} name={name || email} current={role} self={self} />
        ) : (
          capitalize(terms.roles[role])
        )}
      </td>
      <td data-label={text.columns.joined}>
        <Time at={createdAt} as="day" />
      </td>
      <td>
        {canChange ? (
          <div class="actions">
            {disabledAt === null && id !== self.id ? (
              <Action action={`${action}/reset`} name={text.reset.create} quiet little />
            ) : null}
            {disabledAt === null ? (
              <Action
                action={action}
                name={text.remove}
                title={text.removeTitle(name || email)}
                confirm={text.removeConfirm}
                values={{ disabled: "true" }}
                little
              />
            ) : (
              <Action
                action={action}
                name={text.restore}
                quiet
                little
                values={{ disabled: "false" }}
              />
            )}
          </div>
        ) : (
          <span class="muted">{text.ownersOnly}</span>
        )}
      </td>
    </tr>
  );
}

/** Describes the rights of each role, below the list in which roles are changed. */
export function RoleMeanings() {
  const { members, terms } = useText();
  const { title, meanings } = members.roles;
  return (
    <details>
      <summary>{title}</summary>
      <DescriptionList
        facts={allRoles.map((role) => [capitalize(terms.roles[role]), meanings[role]])}
      />
    </details>
  );
}

export function InviteForm({ role, values }: { role: Role; values: FormValues | undefined }) {
  const { members, terms } = useText();
  const text = members.invitations;
  return (
    <form method="post" action="/admin/members" id="invite" data-warn="">
      <h2>{text.invite}</h2>
      <p class="lead">{text.validity}</p>
      <div class="inputs">
        <Input
          name="email"
          inputmode="email"
          label={text.labels.email}
          required
          maxlength={254}
          autocomplete="off"
          value={textOf(values?.["email"])}
        />
        <ChoiceGroup
          name="role"
          label={text.labels.role}
          chosen={[textOf(values?.["role"]) || "viewer"]}
          options={assignableRoles(role).map((option) => ({
            value: option,
            label: capitalize(terms.roles[option]),
            hint: members.roles.meanings[option],
          }))}
        />
      </div>
      <button type="submit">{text.create}</button>
    </form>
  );
}
