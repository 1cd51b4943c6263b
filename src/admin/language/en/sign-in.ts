import type { Child } from "hono/jsx";
import { sentence } from "#admin/language/sentence.ts";

/** The texts of pages for people who are not signed in. */
export const signIn = () => ({
  labels: { name: "Your name", email: "Email", password: "Password", secret: "Setup secret" },
  nameHint: "Shown to your colleagues.",
  passwordHint: "At least 12 characters.",
  signIn: "Sign in",
  incorrect: "Incorrect email or password.",
  sessionEnded: "Your session ended. Sign in to save your changes.",
  formLost:
    "Your session ended, and nothing was saved. Open another tab to sign in, then return here and submit the form again.",
  resume: {
    title: "Session renewed",
    text: "Your changes from before your session ended aren’t saved yet.",
    save: "Save changes",
    discard: "Discard changes",
  },
  reset: {
    title: "Reset password",
    text: (email: Child) =>
      sentence`Choose a new password for ${email}. You will be signed out everywhere else.`,
    submit: "Reset password",
    done: "Password reset. You are signed out everywhere else.",
    endedTitle: "This link has expired",
    ended:
      "A password reset link can be used only once and expires after 24 hours. Ask an owner or admin for another one.",
  },
  join: {
    title: "Welcome",
    text: (email: Child, role: string) =>
      sentence`You’re invited as ${email} with the role ${role}. Enter your name and choose a password to join.`,
    textWithAccess: (email: Child, role: string) =>
      sentence`You’re invited as ${email} with the role ${role}. Enter your name to join. You sign in with Cloudflare Access.`,
    submit: "Create account",
    done: (email: string) => `Welcome. You are signed in as ${email}.`,
    doneWithAccess: (email: string) => `Welcome. You sign in with Cloudflare Access as ${email}.`,
    endedTitle: "Invitation no longer valid",
    ended:
      "The invitation was used or revoked, or it expired after 7 days. If you already joined, sign in. Otherwise, ask for a new link.",
  },
  access: {
    title: "Sign in with Cloudflare Access",
    text: "Cloudflare Access signs members in, without a password. If this page appears again, your address in Cloudflare Access doesn’t belong to a member. Ask an owner or admin for an invitation.",
    open: "Open the administration area",
  },
  setUp: {
    title: "Create the first owner",
    secretHint: "Your deployment’s SETUP_SECRET. It works once.",
    rejected:
      "The setup secret is wrong, or an owner exists already. If you are the owner, sign in instead.",
    accessHint: "The address with which you sign in to Cloudflare Access.",
    finishedTitle: "Setup is finished",
    finished: "An owner exists, so this page no longer works. If you are the owner, sign in.",
    submit: "Create owner",
  },
});
