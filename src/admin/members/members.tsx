import * as z from "zod/mini";
import { type Context, Hono } from "hono";
import { changeMember } from "#actions/members.ts";
import type { AdminEnv } from "#http/env.ts";
import { Copyable, Table } from "#html/parts.tsx";
import { createPasswordReset } from "#actions/password-resets.ts";
import { explainErrors } from "#admin/explain-problem.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { AdminPage } from "#admin/layout.tsx";
import type { MemberSummary } from "#store/home/members.ts";
import {
  InvitationRow,
  InviteForm,
  NewInvitation,
  MemberRow,
  RoleMeanings,
} from "./member-rows.tsx";
import { formatTimestamp } from "#domain/time.ts";
import type { Invitation } from "#store/home/invitations.ts";
import { inviteMember, listMembersWithInvites, withdrawInvitation } from "#actions/invitations.ts";
import type { Role } from "#domain/credential/permissions.ts";
import { textParameters } from "#http/query.ts";
import { serviceOrigin } from "#http/request.ts";
import { page, requireAbility, withFieldError } from "#admin/page.ts";
import { usesAccess } from "#admin/sign-in/access.ts";
import { Problem } from "#domain/problem/problem.ts";
import { capitalize } from "#domain/text.ts";
import { EmailInput } from "#admin/form-input.ts";
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
const InviteInput = lazy(() => z.strictObject({ email: EmailInput(), role: roleSchema() }));
const WithdrawInput = lazy(() => z.strictObject({ email: EmailInput() }));
const MemberChangeInput = lazy(() =>
  z.strictObject({
    role: z.optional(roleSchema()),
    disabled: z.optional(z.stringbool()),
  }),
);

const invitationLink = (c: Context<AdminEnv>, secret: string) =>
  new URL(`/admin/join/${secret}`, serviceOrigin(c)).href;

const membersPage = page({
  query: textParameters("invited"),
  async load({ c, ctx, query }) {
    const { members, invitations } = await listMembersWithInvites(ctx);
    return {
      isInvited: query["invited"] !== undefined,
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
  render(frame, { hasAccess, members, invitations, isInvited }, attempt) {
    const text = frame.text.members;
    return (
      <AdminPage
        frame={frame}
        title={frame.text.frame.pages.members}
        problem={attempt?.problem}
        labels={text.invitations.labels}
        actions={
          <a class="button" href="#f-email">
            {text.invitations.invite}
          </a>
        }
      >
        {isInvited ? <NewInvitation invitations={invitations} /> : null}
        <Table caption={frame.text.frame.pages.members} columns={Object.values(text.columns)}>
          {members.map((member) => (
            <MemberRow member={member} self={frame.member} />
          ))}
        </Table>
        <RoleMeanings />
        {invitations.length > 0 ? (
          <>
            <h2>{text.invitations.title}</h2>
            <Table
              caption={text.invitations.title}
              columns={Object.values(text.invitations.columns)}
            >
              {invitations.map((invitation) => (
                <InvitationRow {...invitation} self={frame.member} />
              ))}
            </Table>
            <p class="muted">{text.invitations.changeRule}</p>
          </>
        ) : null}
        <InviteForm role={frame.member.role} values={attempt?.values} />
        <h2>{text.access.title}</h2>
        <p>
          {hasAccess ? text.access.used : text.access.unused}{" "}
          <a href="/docs/administration#sign-in">{text.access.setUp}</a>
        </p>
      </AdminPage>
    );
  },
});

/** Explains the problem of an invitation. If the address belongs to a member, it is an error of the input. */
function explainInvitation(error: Problem, text: Catalogue): Problem {
  if (error.code !== "conflict") return explainErrors(error, text, () => ({ type: "email" }));
  const { code, members, headers } = error;
  const detail = text.problems.detail(error);
  return withFieldError(new Problem(code, detail, members, headers), "email", text);
}

const invite = membersPage.form({
  fields: InviteInput,
  async act({ c, ctx, text }, { email, role }) {
    const { secret, invitation } = await inviteMember(ctx, email, role);
    return {
      to: "/admin/members?invited",
      flash: text.members.invitations.created(invitation.email),
      document: { ...invitationDocument(invitation), link: invitationLink(c, secret) },
      status: 201,
    };
  },
  explain: explainInvitation,
});

const withdraw = membersPage.form({
  fields: WithdrawInput,
  async act({ ctx, text }, { email }) {
    await withdrawInvitation(ctx, email);
    const flash = text.members.invitations.revoked(email);
    return { to: "/admin/members", flash, document: null };
  },
});

const createReset = membersPage.form({
  async act({ c, ctx, param, text }) {
    const { signedSecret, email, expiresAt } = await createPasswordReset(ctx, param("id"));
    const link = new URL(`/admin/reset/${signedSecret}`, serviceOrigin(c)).href;
    return {
      page: (frame) => (
        <AdminPage
          frame={frame}
          title={text.members.reset.title}
          crumbs={[[text.frame.pages.members, "/admin/members"]]}
        >
          <p>{text.members.reset.text(<strong>{email}</strong>)}</p>
          <Copyable id="reset-link" text={link} />
          <p class="muted">{text.members.reset.copyNow}</p>
        </AdminPage>
      ),
      document: { email, link, expires_at: formatTimestamp(expiresAt) },
    };
  },
});

const change = membersPage.form({
  fields: MemberChangeInput,
  async act({ ctx, param, text }, fields) {
    await changeMember(ctx, param("id"), fields);
    return { to: "/admin/members", flash: changeMessage(fields, text), document: null };
  },
});

function changeMessage(
  { role, disabled }: z.infer<ReturnType<typeof MemberChangeInput>>,
  { members: text, terms }: Catalogue,
): string {
  if (disabled === true) return text.memberRemoved;
  if (disabled === false) return text.restored;
  return role === undefined ? text.unchanged : text.roleChanged(capitalize(terms.roles[role]));
}

export const memberRoutes = () =>
  new Hono<AdminEnv>()
    .use(requireAbility("members"))
    .get("/", membersPage.show)
    .post("/", invite)
    .post("/invitations/withdraw", withdraw)
    .post("/:id/reset", createReset)
    .post("/:id", change);
