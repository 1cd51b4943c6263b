import { type Role, may } from "#domain/credential/permissions.ts";
import { Act } from "#html/action-button.tsx";
import { Time } from "#html/viewer.tsx";
import { Options, Input, Select } from "#html/inputs.tsx";
import { Badge } from "#html/parts.tsx";
import type { Frame } from "#admin/layout.tsx";
import type { MemberSummary } from "#store/home/members.ts";
import { textOf, type Sent } from "#admin/form-input.ts";

/** An invitation with its link, for those who may give it out. */
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
      <td data-label="Ends">
        <Time at={expiresAt} as="distance" />
      </td>
      <td class="full">
        {link === undefined ? (
          <span class="muted">for owners to give out</span>
        ) : (
          <span class="link">
            <input readonly value={link} aria-label={`Invitation link for ${email}`} />
            <code id={id} hidden>
              {link}
            </code>
            <button type="button" class="quiet little" data-copy={id} hidden>
              Copy
            </button>
          </span>
        )}
      </td>
      <td>
        {link === undefined ? null : (
          <Act
            action="/admin/members/invitations/withdraw"
            name="Withdraw"
            title={`Withdraw the invitation of ${email}?`}
            confirm="Its link leads nowhere from then on. Another can be made at any time."
            values={{ email }}
            little
          />
        )}
      </td>
    </tr>
  );
}

/** The roles that somebody of this role may give and take. */
export function rolesFor(role: Role) {
  const offered: Role[] = may(role, "owners")
    ? ["viewer", "editor", "admin", "owner"]
    : ["viewer", "editor"];
  return offered;
}

export function MemberRow({ member, self }: { member: MemberSummary; self: Frame["member"] }) {
  const { id, email, role, createdAt, disabledAt } = member;
  const action = `/admin/members/${id}`;
  const high = role === "owner" || role === "admin";
  const changes = may(self.role, high ? "owners" : "members");
  return (
    <tr>
      <th scope="row">
        {email} {id === self.id ? <Badge tone="accent">you</Badge> : null}{" "}
        {disabledAt === null ? null : <Badge>removed</Badge>}
      </th>
      <td>{role}</td>
      <td data-label="since">
        <Time at={createdAt} as="day" />
      </td>
      <td>
        {changes ? (
          <div class="actions">
            <form method="post" action={action} class="actions">
              <select name="role" aria-label={`Role of ${email}`}>
                <Options
                  options={rolesFor(self.role).map((value) => ({ value, label: value }))}
                  value={role}
                />
              </select>
              <button type="submit" class="quiet little">
                Set role
              </button>
            </form>
            {disabledAt === null ? (
              <Act
                action={action}
                name="Remove"
                title={`Remove ${email}?`}
                confirm="They are signed out, and their personal tokens end with the next request; those cannot be brought back. What they did stays."
                values={{ disabled: "true" }}
                little
              />
            ) : (
              <Act action={action} name="Take back" quiet little values={{ disabled: "false" }} />
            )}
          </div>
        ) : (
          <span class="muted">owners change this</span>
        )}
      </td>
    </tr>
  );
}

const roleMeanings: Record<Role, string> = {
  viewer: "reads",
  editor: "also changes data, forms and apps",
  admin: "also manages credentials and members",
  owner: "also makes admins and owners",
};

export function Invite({ role, sent }: { role: Role; sent: Sent | undefined }) {
  return (
    <form method="post" action="/admin/members" id="invite">
      <h2>Invite somebody</h2>
      <div class="grid">
        <Input
          name="email"
          type="email"
          label="E-mail"
          required
          maxlength={254}
          autocomplete="off"
          value={textOf(sent?.["email"])}
        />
        <Select
          name="role"
          label="Role"
          value={textOf(sent?.["role"])}
          options={rolesFor(role).map((each) => ({
            value: each,
            label: `${each}: ${roleMeanings[each]}`,
          }))}
        />
      </div>
      <button type="submit">Make an invitation</button>
    </form>
  );
}
