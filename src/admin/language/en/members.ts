import type { Child } from "hono/jsx";
import type { Role } from "#domain/credential/permissions.ts";
import { sentence } from "#admin/language/sentence.ts";

const roleMeanings = (): Record<Role, string> => ({
  viewer: "View and download all data and definitions. Create personal tokens that read.",
  editor:
    "Everything a viewer can do. Also add, edit, import and delete data, and create and edit forms and apps.",
  admin:
    "Everything an editor can do. Also manage credentials, webhooks, viewers and editors, see the audit, and delete forms and apps.",
  owner: "Everything an admin can do. Also manage admins and owners.",
});

const invitations = () => ({
  title: "Invitations",
  columns: {
    email: "Email",
    role: "Role",
    expires: "Expires",
    link: "Link",
    actions: "Actions",
  },
  /** The form that invites a member. */
  invite: "Invite member",
  labels: { email: "Email", role: "Role" },
  create: "Create invitation",
  validity:
    "Creates a link. Send it to them yourself. It works once and expires after 7 days. After that, invite the person again to get a new link.",
  ownersOnly: "Only owners can see this link",
  linkFor: (email: string) => `Invitation link for ${email}`,
  newLinkFor: (email: string) => `New link for ${email}`,
  copyLink: "Copy link",
  revoke: "Revoke invitation",
  revokeTitle: (email: string) => `Revoke the invitation for ${email}?`,
  revokeConfirm: "Its link stops working. You can invite them again at any time.",
  changeRule:
    "Changing the role creates a new link, and the old one stops working. Send the new link.",
  created: (email: string) =>
    `Invitation created. Send ${email} the link below. It works once, within 7 days.`,
  revoked: (email: string) => `Invitation for ${email} revoked`,
});

const reset = () => ({
  create: "Create password reset link",
  title: "Password reset link",
  text: (email: Child) =>
    sentence`Send this link to ${email}. It works once, within 24 hours, and signs them out everywhere.`,
  copyNow: "Copy it now. You won’t see it again.",
});

export const members = () => ({
  columns: { member: "Member", role: "Role", joined: "Joined", actions: "Actions" },
  you: "you",
  removed: "removed",
  roleOf: (name: string) => `Role of ${name}`,
  changeRole: "Change role",
  roles: { title: "What each role can do", meanings: roleMeanings() },
  roleChanged: (role: string) => `Role changed to ${role}. The member must sign in again.`,
  unchanged: "No changes to save",
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeConfirm:
    "They are signed out, and their personal tokens are permanently revoked. Their work stays.",
  memberRemoved: "Member removed",
  restore: "Restore access",
  restored: "Access restored",
  ownersOnly: "Only owners can change this",
  invitations: invitations(),
  reset: reset(),
  access: {
    title: "Single sign-on and multi-factor authentication",
    used: "Members sign in with Cloudflare Access, which can require multi-factor authentication.",
    unused:
      "Members sign in with a password. For single sign-on or multi-factor authentication, put Cloudflare Access in front of this area.",
    setUp: "Set up Cloudflare Access",
  },
});
