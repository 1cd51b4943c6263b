import { type Role, roleAllows } from "#domain/credential/permissions.ts";
import { Action } from "#html/action-button.tsx";
import { Time } from "#html/viewer.tsx";
import { SelectOptions, Input, Select } from "#html/inputs.tsx";
import { Badge } from "#html/parts.tsx";
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

export function InvitationRow({ email, role, expiresAt, link }: OpenInvitation) {
  const id = `link-${email.replaceAll(/[^\w-]/g, "-")}`;
  return (
    <tr>
      <th scope="row">{email}</th>
      <td>{role}</td>
      <td data-label="Expires">
        <Time at={expiresAt} as="distance" />
      </td>
      <td class="full">
        {link === undefined ? (
          <span class="muted">Only owners can see this link</span>
        ) : (
          <span class="link">
            <input readonly value={link} aria-label={`Invitation link for ${email}`} />
            <code id={id} hidden>
              {link}
            </code>
            <button type="button" class="quiet little" data-copy={id} hidden>
              {" "}
              Copy link{" "}
            </button>
          </span>
        )}
      </td>
      <td>
        {link === undefined ? null : (
          <Action
            action="/admin/members/invitations/withdraw"
            name="Revoke invitation"
            title={`Revoke the invitation for ${email}?`}
            confirm="Its link stops working. You can invite them again at any time."
            values={{ email }}
            little
          />
        )}
      </td>
    </tr>
  );
}

/** The roles that a member with this role may assign. */
function assignableRoles(role: Role) {
  const options: Role[] = roleAllows(role, "owners")
    ? ["viewer", "editor", "admin", "owner"]
    : ["viewer", "editor"];
  return options;
}

export function MemberRow({
  member,
  self,
}: {
  member: MemberSummary;
  self: PageContext["member"];
}) {
  const { id, email, name, role, createdAt, disabledAt } = member;
  const action = `/admin/members/${id}`;
  const isPrivileged = role === "owner" || role === "admin";
  const canChange = roleAllows(self.role, isPrivileged ? "owners" : "members");
  return (
    <tr>
      <th scope="row">
        <bdi>{name || email}</bdi> {id === self.id ? <Badge tone="accent">you</Badge> : null}{" "}
        {disabledAt === null ? null : <Badge>removed</Badge>}
        {name ? <small class="muted cut">{email}</small> : null}
      </th>
      <td>{role}</td>
      <td data-label="Joined">
        <Time at={createdAt} as="day" />
      </td>
      <td>
        {canChange ? (
          <div class="actions">
            <form method="post" action={action} class="actions">
              <select name="role" aria-label={`Role of ${name || email}`}>
                <SelectOptions
                  options={assignableRoles(self.role).map((value) => ({ value, label: value }))}
                  value={role}
                />
              </select>
              <button type="submit" class="quiet little">
                {" "}
                Change role{" "}
              </button>
            </form>
            {disabledAt === null && id !== self.id ? (
              <Action action={`${action}/reset`} name="Create reset link" quiet little />
            ) : null}
            {disabledAt === null ? (
              <Action
                action={action}
                name="Remove"
                title={`Remove ${name || email}?`}
                confirm="They are signed out, and their personal tokens are permanently revoked. Their work stays."
                values={{ disabled: "true" }}
                little
              />
            ) : (
              <Action
                action={action}
                name="Restore access"
                quiet
                little
                values={{ disabled: "false" }}
              />
            )}
          </div>
        ) : (
          <span class="muted">Only owners can change this</span>
        )}
      </td>
    </tr>
  );
}

const roleMeanings: Record<Role, string> = {
  viewer: "can view data",
  editor: "can also edit data, forms and apps",
  admin: "can also manage credentials and members",
  owner: "can also manage admins and owners",
};

export function InviteForm({ role, values }: { role: Role; values: FormValues | undefined }) {
  return (
    <form method="post" action="/admin/members" id="invite">
      <h2>Invite member</h2>
      <div class="grid">
        <Input
          name="email"
          type="email"
          label="Email"
          required
          maxlength={254}
          autocomplete="off"
          value={textOf(values?.["email"])}
        />
        <Select
          name="role"
          label="Role"
          value={textOf(values?.["role"])}
          options={assignableRoles(role).map((option) => ({
            value: option,
            label: `${option}: ${roleMeanings[option]}`,
          }))}
        />
      </div>
      <button type="submit">Create invitation</button>
    </form>
  );
}
