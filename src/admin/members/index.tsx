import { Hono, type Context } from "hono";
import * as z from "zod/mini";
import {
  inviteMember,
  openInvitations,
  withdrawInvitation,
} from "../../actions/members/invitations";
import { changeMember } from "../../actions/members/members";
import type { Role } from "../../domain/credential/roles";
import type { Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { originOf } from "../../http/request/host";
import { able, answer, answerDone } from "../frame/answers";
import { attempted } from "../frame/attempted";
import { frameOf } from "../frame/frame";
import { toldAt } from "../frame/told-at";
import { readFields, readSent } from "../frame/negotiate";
import { say } from "../frame/said";
import { memberContext } from "./context";
import { MembersPage } from "./members-page";
import { memberDocument, invitationDocument } from "./documents";

const roles = ["viewer", "editor", "admin", "owner"] as const satisfies Role[];
const role = z.enum(roles);
const email = z.email().check(z.maxLength(254));
const Invite = z.strictObject({ email, role });
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
        const invite = await readFields(c, Invite);
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
