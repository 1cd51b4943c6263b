import * as z from "zod/mini";
import { type Context, Hono } from "hono";
import { changeMember } from "#actions/members.ts";
import type { AdminEnv } from "#http/env.ts";
import { Copyable, Table } from "#html/parts.tsx";
import { createPasswordReset } from "#actions/password-resets.ts";
import { AdminPage } from "#admin/layout.tsx";
import type { MemberSummary } from "#store/home/members.ts";
import { InvitationRow, InviteForm, MemberRow } from "./member-rows.tsx";
import { formatTimestamp } from "#domain/time.ts";
import type { Invitation } from "#store/home/invitations.ts";
import { inviteMember, listMembersWithInvites, withdrawInvitation } from "#actions/invitations.ts";
import type { Role } from "#domain/credential/permissions.ts";
import { serviceOrigin } from "#http/request.ts";
import { page, requireAbility, withFieldError } from "#admin/page.ts";
import { usesAccess } from "#admin/sign-in/access.ts";
import { lazy } from "#domain/lazy.ts";

function memberDocument({ id, email, name, role, createdAt, disabledAt }: MemberSummary) {
  return {
    id,
    email,
    name,
    role,
    disabled: disabledAt !== null,
    created_at: formatTimestamp(createdAt),
  };
}

function invitationDocument({
  email,
  role,
  expiresAt,
  ...invitation
}: Pick<Invitation, "email" | "role" | "expiresAt"> & { link?: string | undefined }) {
  const { link } = invitation;
  return {
    email,
    role,
    expires_at: formatTimestamp(expiresAt),
    ...(link ? { link } : {}),
  };
}

const roles = ["viewer", "editor", "admin", "owner"] as const satisfies Role[];
const roleSchema = lazy(() => z.enum(roles));
const emailSchema = lazy(() => z.email().check(z.maxLength(254)));
const InviteInput = lazy(() => z.strictObject({ email: emailSchema(), role: roleSchema() }));
const WithdrawInput = lazy(() => z.strictObject({ email: emailSchema() }));
const MemberChangeInput = lazy(() =>
  z.strictObject({
    role: z.optional(roleSchema()),
    disabled: z.optional(z.stringbool()),
  }),
);

const invitationLink = (c: Context<AdminEnv>, secret: string) =>
  new URL(`/admin/join/${secret}`, serviceOrigin(c)).href;

const membersPage = page({
  async load({ c, ctx }) {
    const { members, invitations } = await listMembersWithInvites(ctx);
    return {
      hasAccess: usesAccess(c.env),
      members,
      invitations: invitations.map(({ secret, ...invitation }) => ({
        ...invitation,
        link: secret === undefined ? undefined : invitationLink(c, secret),
      })),
    };
  },
  document: ({ members, invitations }) => ({
    items: members.map(memberDocument),
    invitations: invitations.map(invitationDocument),
  }),
  render: (frame, { hasAccess, members, invitations }, attempt) => (
    <AdminPage
      frame={frame}
      title="Members"
      problem={attempt?.problem}
      labels={{ email: "Email", role: "Role" }}
      actions={
        <a class="button" href="#f-email">
          {" "}
          Invite member{" "}
        </a>
      }
    >
      <Table caption="Members" columns={["Member", "Role", "Joined", "Actions"]}>
        {members.map((member) => (
          <MemberRow member={member} self={frame.member} />
        ))}
      </Table>
      {invitations.length > 0 ? (
        <>
          <h2>Invitations</h2>
          <Table caption="Invitations" columns={["Email", "Role", "Expires", "Link", "Actions"]}>
            {invitations.map((invitation) => (
              <InvitationRow {...invitation} />
            ))}
          </Table>
        </>
      ) : null}
      <InviteForm role={frame.member.role} values={attempt?.values} />
      <h2>Single sign-on and several factors</h2>
      <p>
        {hasAccess
          ? "Members sign in with Cloudflare Access, which can require several factors."
          : "Members sign in with a password. To use single sign-on or to require several factors, put Cloudflare Access in front of this area."}{" "}
        <a href="/docs/administration#sign-in">Set up Cloudflare Access</a>
      </p>
    </AdminPage>
  ),
});

const invite = membersPage.form({
  fields: InviteInput,
  async act({ c, ctx }, { email, role }) {
    const { secret, invitation } = await inviteMember(ctx, email, role);
    return {
      to: "/admin/members",
      flash: `Invitation created. Send ${invitation.email} the link below. It works once, within 7 days.`,
      document: { ...invitationDocument(invitation), link: invitationLink(c, secret) },
      status: 201,
    };
  },
  explain: (error) => (error.code === "conflict" ? withFieldError(error, "email") : error),
});

const withdraw = membersPage.form({
  fields: WithdrawInput,
  async act({ ctx }, { email }) {
    await withdrawInvitation(ctx, email);
    const flash = `Invitation for ${email} revoked`;
    return { to: "/admin/members", flash, document: null };
  },
});

const createReset = membersPage.form({
  async act({ c, ctx, param }) {
    const { secret, email, expiresAt } = await createPasswordReset(ctx, param("id"));
    const link = new URL(`/admin/reset/${secret}`, serviceOrigin(c)).href;
    return {
      page: (frame) => (
        <AdminPage
          frame={frame}
          title="Password reset link"
          crumbs={[["Members", "/admin/members"]]}
        >
          <p>
            Send this link to <strong>{email}</strong>. It works once, within 24 hours, and signs
            them out everywhere.
          </p>
          <Copyable id="reset-link" text={link} />
          <p class="muted">Copy it now. You won’t see it again.</p>
        </AdminPage>
      ),
      document: { email, link, expires_at: formatTimestamp(expiresAt) },
    };
  },
});

const change = membersPage.form({
  fields: MemberChangeInput,
  async act({ ctx, param }, fields) {
    await changeMember(ctx, param("id"), fields);
    return { to: "/admin/members", flash: changeMessage(fields), document: null };
  },
});

function changeMessage({ role, disabled }: z.infer<ReturnType<typeof MemberChangeInput>>): string {
  if (disabled === true) return "Member removed";
  if (disabled === false) return "Access restored";
  return role === undefined
    ? "Member unchanged"
    : `Role changed to ${role}. They must sign in again.`;
}

export const memberRoutes = new Hono<AdminEnv>()
  .use(requireAbility("members"))
  .get("/", membersPage.show)
  .post("/", invite)
  .post("/invitations/withdraw", withdraw)
  .post("/:id/reset", createReset)
  .post("/:id", change);
