import type { Role } from "../../domain/credential/roles";
import { Act } from "../../html/act";
import { Time } from "../../html/time";

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
