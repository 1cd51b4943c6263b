import type { Problem } from "../../domain/problem/problem";
import { Table } from "../../html/parts/table";
import type { Frame } from "../frame/frame";
import { AdminPage } from "../frame/layout";
import type { Sent } from "../frame/sent";
import type { MemberSummary } from "../../store/members/list-members";
import { InvitationRow, type OpenInvitation } from "./invitation-row";
import { Invite } from "./invite";
import { MemberRow } from "./member-row";

interface Shown {
  frame: Frame;
  members: readonly MemberSummary[];
  invitations: readonly OpenInvitation[];
  sent?: Sent;
  problem?: Problem;
}

export function MembersPage({ frame, members, invitations, sent, problem }: Shown) {
  return (
    <AdminPage
      frame={frame}
      title="Members"
      problem={problem}
      labels={{ email: "E-mail", role: "Role" }}
      acts={
        <a class="button" href="#f-email">
          Invite somebody
        </a>
      }
    >
      <Table caption="Members" heads={["E-mail", "Role", "Since", "Change"]}>
        {members.map((member) => (
          <MemberRow member={member} self={frame.member} />
        ))}
      </Table>
      {invitations.length > 0 ? (
        <>
          <h2>Invited</h2>
          <Table caption="Invitations" heads={["E-mail", "Role", "Ends", "Link", "Change"]}>
            {invitations.map((invitation) => (
              <InvitationRow {...invitation} />
            ))}
          </Table>
        </>
      ) : null}
      <Invite role={frame.member.role} sent={sent} />
    </AdminPage>
  );
}
