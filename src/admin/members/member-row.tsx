import { may } from "../../domain/credential/roles";
import { Act } from "../../html/act";
import { Options } from "../../html/form/options";
import { Badge } from "../../html/parts/badge";
import { Time } from "../../html/time";
import type { Frame } from "../frame/frame";
import type { MemberSummary } from "../../store/members/list-members";
import { rolesFor } from "./roles-for";

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
