import * as z from "zod/mini";
import { type Context, Hono } from "hono";
import { type MemberContext, changeMember } from "#actions/members.ts";
import { signingKeys } from "#domain/credential/keys.ts";
import type { AdminEnv } from "#http/env.ts";
import { announceAll } from "#admin/credentials/context.ts";
import { random } from "#admin/sign-in/session.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { Table } from "#html/parts.tsx";
import { type Frame, AdminPage, frameOf } from "#admin/layout.tsx";
import { type Sent, readFields, readSent } from "#admin/form-input.ts";
import type { MemberSummary } from "#store/home/members.ts";
import { InvitationRow, type OpenInvitation, Invite, MemberRow } from "./member-rows.tsx";
import { stamp } from "#domain/time.ts";
import type { Invitation } from "#store/home/invitations.ts";
import { inviteMember, openInvitations, withdrawInvitation } from "#actions/invitations.ts";
import type { Role } from "#domain/credential/permissions.ts";
import { originOf } from "#http/request.ts";
import { able, answer, answerDone, attempted, toldAt } from "#admin/page.ts";
import { say } from "#admin/preferences.ts";

export function memberContext(c: Context<AdminEnv>): MemberContext {
  const announce: MemberContext["announce"] = (credentials) => announceAll(c.env.GATE, credentials);
  const keys = signingKeys(c.env.TOKEN_SECRET);
  return { ...c.var.action, member: c.var.member, keys, random, announce };
}

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

export function memberDocument({
  id,
  email: address,
  role: now,
  createdAt,
  disabledAt,
}: MemberSummary) {
  return {
    id,
    email: address,
    role: now,
    disabled: disabledAt !== null,
    created_at: stamp(createdAt),
  };
}

export function invitationDocument({
  email: address,
  role: given,
  expiresAt,
  ...rest
}: Pick<Invitation, "email" | "role" | "expiresAt"> & { link?: string | undefined }) {
  const { link } = rest;
  return { email: address, role: given, expires_at: stamp(expiresAt), ...(link ? { link } : {}) };
}

const roles = ["viewer", "editor", "admin", "owner"] as const satisfies Role[];
const role = z.enum(roles);
const email = z.email().check(z.maxLength(254));
const InviteFields = z.strictObject({ email, role });
const Withdraw = z.strictObject({ email });
const Change = z.strictObject({
  role: z.optional(role),
  disabled: z.optional(z.stringbool()),
});

export const members = new Hono<AdminEnv>()
  .use(able("members"))
  .get("/", async (c) => {
    const shown = await everybody(c);
    const document = {
      items: shown.members.map(memberDocument),
      invitations: shown.invitations.map(invitationDocument),
    };
    return answer(c, document, () => <MembersPage frame={frameOf(c)} {...shown} />);
  })
  .post("/", (c) =>
    attempted(
      c,
      async () => {
        const invite = await readFields(c, InviteFields);
        const { secret, invitation } = await inviteMember(
          memberContext(c),
          invite.email,
          invite.role,
        );
        say(
          c,
          `Invited. Copy the link for ${invitation.email} below and send it: it works once, within seven days.`,
        );
        const document = { ...invitationDocument(invitation), link: linkOf(c, secret) };
        return answerDone(c, document, "/admin/members", 201);
      },
      (refusal) => pageAgain(c, refusal.code === "conflict" ? toldAt(refusal, "email") : refusal),
    ),
  )
  .post("/invitations/withdraw", (c) =>
    attempted(
      c,
      async () => {
        const { email: address } = await readFields(c, Withdraw);
        await withdrawInvitation(memberContext(c), address);
        say(c, `The invitation of ${address} is withdrawn: its link leads nowhere.`);
        return answerDone(c, null, "/admin/members");
      },
      (refusal) => pageAgain(c, refusal),
    ),
  )
  .post("/:id", (c) =>
    attempted(
      c,
      async () => {
        const change = await readFields(c, Change);
        await changeMember(memberContext(c), c.req.param("id"), change);
        say(c, changed(change));
        return answerDone(c, null, "/admin/members");
      },
      (refusal) => pageAgain(c, refusal),
    ),
  );

function changed({ role: given, disabled }: z.infer<typeof Change>): string {
  if (disabled === true)
    return "Removed. They are signed out, and their personal tokens have ended.";
  if (disabled === false) return "Taken back. They can sign in again.";
  return `The role is ${given ?? "as it was"} now. They have to sign in again.`;
}

const linkOf = (c: Context<AdminEnv>, secret: string) =>
  new URL(`/admin/join/${secret}`, originOf(c)).href;

async function everybody(c: Context<AdminEnv>) {
  const { members: found, invitations } = await openInvitations(memberContext(c));
  return {
    members: found,
    invitations: invitations.map(({ secret, ...invitation }) => ({
      ...invitation,
      link: secret === undefined ? undefined : linkOf(c, secret),
    })),
  };
}

async function pageAgain(c: Context<AdminEnv>, problem: Problem) {
  const shown = await everybody(c);
  return <MembersPage frame={frameOf(c)} {...shown} sent={await readSent(c)} problem={problem} />;
}
