import { Hono, type Context } from "hono";
import * as z from "zod/mini";
import { changeMember, inviteMember, type MemberContext } from "../../actions/members/members";
import type { Role } from "../../domain/credential/permissions";
import type { Problem } from "../../domain/problem/problem";
import { stamp } from "../../domain/time";
import type { AdminEnv } from "../../env";
import { originOf } from "../../http/doors/host";
import { listInvitations, type Invitation } from "../../store/members/invitations";
import { listMembers, type MemberSummary } from "../../store/members/members";
import { announceAll } from "../credentials/announce";
import { able, answer, answerDone, attempted } from "../frame/answers";
import { Act } from "../../html/act";
import { Copyable, Table } from "../../html/parts";
import { Time } from "../../html/reader";
import { AdminPage } from "../frame/layout";
import { readFields } from "../frame/negotiate";
import { random } from "../sign-in/session";

const roles = ["viewer", "editor", "admin", "owner"] as const satisfies Role[];
const role = z.enum(roles);
const Invite = z.strictObject({ email: z.email().check(z.maxLength(254)), role });
const Change = z.strictObject({
  role: z.optional(role),
  disabled: z.optional(z.stringbool()),
});

export const members = new Hono<AdminEnv>()
  .use(able("members"))
  .get("/", async (c) => page(c))
  .post("/", (c) =>
    attempted(
      c,
      async () => {
        const { email, role: given } = await readFields(c, Invite);
        const { secret, invitation } = await inviteMember(memberContext(c), email, given);
        const link = new URL(`/admin/join/${secret}`, originOf(c)).href;
        const document = { ...invitationDocument(invitation), link };
        return answer(
          c,
          document,
          () => <LinkPage c={c} email={invitation.email} link={link} />,
          201,
        );
      },
      async (refusal) => <MembersPage c={c} problem={refusal} {...await everybody(c)} />,
    ),
  )
  .post("/:id", (c) =>
    attempted(
      c,
      async () => {
        await changeMember(memberContext(c), c.req.param("id"), await readFields(c, Change));
        return answerDone(c, null, "/admin/members");
      },
      async (refusal) => <MembersPage c={c} problem={refusal} {...await everybody(c)} />,
    ),
  );

export function memberContext(c: Context<AdminEnv>): MemberContext {
  const announce: MemberContext["announce"] = (credentials) => announceAll(c.env.GATE, credentials);
  return { ...c.var.action, member: c.var.member, random, announce };
}

async function everybody(c: Context<AdminEnv>) {
  const [found, invited] = await Promise.all([
    listMembers(c.env.DB),
    listInvitations(c.env.DB, Date.now()),
  ]);
  return { found, invited };
}

async function page(c: Context<AdminEnv>) {
  const all = await everybody(c);
  const document = {
    items: all.found.map(memberDocument),
    invitations: all.invited.map(invitationDocument),
  };
  return answer(c, document, () => <MembersPage c={c} {...all} />);
}

function memberDocument({ id, email, role: now, createdAt, disabledAt }: MemberSummary) {
  return { id, email, role: now, disabled: disabledAt !== null, created_at: stamp(createdAt) };
}

function invitationDocument({ email, role: given, expiresAt }: Invitation) {
  return { email, role: given, expires_at: stamp(expiresAt) };
}

interface Shown {
  c: Context<AdminEnv>;
  found: MemberSummary[];
  invited: Invitation[];
  problem?: Problem;
}

function MembersPage({ c, found, invited, problem }: Shown) {
  return (
    <AdminPage c={c} title="Members" problem={problem}>
      <Table caption="Members" heads={["E-mail", "Role", "Since", "Change"]}>
        {found.map((each) => (
          <MemberRow member={each} self={each.id === c.var.member.id} />
        ))}
      </Table>
      {invited.length > 0 ? (
        <>
          <h2>Invited</h2>
          <ul>
            {invited.map((each) => (
              <li>
                {each.email} as {each.role}, until <Time at={each.expiresAt} />
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <h2>Invite somebody</h2>
      <form method="post" action="/admin/members" class="narrow">
        <label>
          E-mail
          <input type="email" name="email" required maxlength={254} autocomplete="off" />
        </label>
        <label>
          Role
          <RoleSelect />
          <small>
            Viewers read; editors also change data, apps and forms; admins also manage credentials
            and members; owners also make admins and owners.
          </small>
        </label>
        <button type="submit">Make a link</button>
      </form>
    </AdminPage>
  );
}

function RoleSelect({ now, label }: { now?: Role; label?: string }) {
  return (
    <select name="role" aria-label={label}>
      {roles.map((each) => (
        <option value={each} selected={each === now}>
          {each}
        </option>
      ))}
    </select>
  );
}

function MemberRow({ member, self }: { member: MemberSummary; self: boolean }) {
  const { id, email, role: now, createdAt, disabledAt } = member;
  const action = `/admin/members/${id}`;
  return (
    <tr>
      <th scope="row">
        {email} {self ? <span class="tag">you</span> : null}
      </th>
      <td>{disabledAt === null ? now : `${now}, removed`}</td>
      <td>
        <Time at={createdAt} />
      </td>
      <td>
        <div class="actions">
          <form method="post" action={action} class="actions">
            <RoleSelect now={now} label={`Role of ${email}`} />
            <button type="submit" class="quiet">
              Set role
            </button>
          </form>
          {disabledAt === null ? (
            <Act
              action={action}
              name="Remove"
              confirm={`Remove ${email}? Their sessions and personal tokens end.`}
              values={{ disabled: "true" }}
            />
          ) : (
            <Act action={action} name="Take back" quiet values={{ disabled: "false" }} />
          )}
        </div>
      </td>
    </tr>
  );
}

function LinkPage({ c, email, link }: { c: Context<AdminEnv>; email: string; link: string }) {
  return (
    <AdminPage c={c} title={`Invitation for ${email}`}>
      <p>Send this link to {email}. It works once, within seven days, and is shown now only.</p>
      <Copyable id="link" text={link} />
      <p>
        <a href="/admin/members">Back to the members</a>
      </p>
    </AdminPage>
  );
}
