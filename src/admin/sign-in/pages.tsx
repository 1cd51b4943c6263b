import type { Child, PropsWithChildren } from "hono/jsx";
import { Input } from "#html/inputs.tsx";
import type { Problem } from "#domain/problem/problem.ts";
import { Page } from "#html/page.tsx";
import { BrandMark } from "#html/parts.tsx";
import { ErrorSummary, FormErrors } from "#html/form-errors.tsx";
import type { SavedForm } from "./session.ts";

const labels = { name: "Your name", email: "Email", password: "Password", secret: "Setup secret" };

function PasswordInput({ label, isNew, hint }: { label: Child; isNew?: boolean; hint?: string }) {
  return (
    <Input
      name="password"
      type="password"
      label={label}
      hint={hint}
      required
      minlength={isNew ? 12 : undefined}
      autocomplete={isNew ? "new-password" : "current-password"}
    />
  );
}

function EmailInput({ value }: { value?: string | undefined }) {
  return (
    <Input
      name="email"
      type="email"
      label={labels.email}
      value={value}
      autocomplete="username"
      required
    />
  );
}

const NameInput = ({ value }: { value?: string | undefined }) => (
  <Input
    name="name"
    label={labels.name}
    hint="Shown to your colleagues."
    value={value}
    maxlength={100}
    autocomplete="name"
    required
  />
);

const passwordHint = "At least 12 characters.";

/** The layout of pages for visitors who are not signed in. */
function SignedOutLayout({
  title,
  problem,
  children,
}: PropsWithChildren<{ title: string; problem?: Problem | undefined }>) {
  return (
    <Page title={title} breadcrumbs={<BrandMark />}>
      {problem ? <ErrorSummary problem={problem} labels={labels} /> : null}
      <FormErrors problem={problem}>{children}</FormErrors>
    </Page>
  );
}

/** Offers to resubmit a form that the member sent after the session had ended. */
export function ResumeFormPage({ savedForm }: { savedForm: SavedForm }) {
  return (
    <SignedOutLayout title="Session renewed">
      <p>Your changes from before your session ended aren’t saved yet.</p>
      <form method="post" action={savedForm.path}>
        {savedForm.fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <div class="actions">
          <button type="submit" autofocus>
            Save changes
          </button>
          <a class="button quiet" href="/admin">
            Discard changes
          </a>
        </div>
      </form>
    </SignedOutLayout>
  );
}

/** The page for a link that no longer works. */
function EndedLinkPage({ title, children }: { title: string; children: Child }) {
  return (
    <SignedOutLayout title={title}>
      <p>{children}</p>
      <p>
        <a class="button" href="/admin/sign-in">
          Sign in
        </a>
      </p>
    </SignedOutLayout>
  );
}

export const ResetEndedPage = () => (
  <EndedLinkPage title="This link has expired">
    A password reset link works once, within 24 hours. Ask an owner or admin for another one.
  </EndedLinkPage>
);

export function ResetPage({ email, problem }: { email: string; problem?: Problem }) {
  return (
    <SignedOutLayout title="Reset password" problem={problem}>
      <p>
        Choose a new password for <strong>{email}</strong>. You will be signed out everywhere else.
      </p>
      <form method="post" class="narrow">
        <input type="hidden" name="email" value={email} autocomplete="username" />
        <PasswordInput label={labels.password} isNew hint={passwordHint} />
        <button type="submit">Reset password</button>
      </form>
    </SignedOutLayout>
  );
}

export const InvitationEndedPage = () => (
  <EndedLinkPage title="Invitation no longer valid">
    It was used, was revoked, or is older than 7 days. If you already joined, sign in. Otherwise,
    ask for a new link.
  </EndedLinkPage>
);

export function JoinPage({
  email,
  role,
  name,
  problem,
}: {
  email: string;
  role: string;
  name?: string;
  problem?: Problem;
}) {
  return (
    <SignedOutLayout title="Welcome" problem={problem}>
      <p>
        You’re invited as <strong>{email}</strong> with the role {role}. Enter your name and choose
        a password to join.
      </p>
      <form method="post" class="narrow">
        <NameInput value={name} />
        <input type="hidden" name="email" value={email} autocomplete="username" />
        <PasswordInput label={labels.password} isNew hint={passwordHint} />
        <button type="submit">Create account</button>
      </form>
    </SignedOutLayout>
  );
}

export function SetUpPage({
  problem,
  email,
  name,
}: {
  problem?: Problem;
  email?: string;
  name?: string;
}) {
  return (
    <SignedOutLayout title="Create the first owner" problem={problem}>
      <form method="post" action="/admin/setup" class="narrow">
        <Input
          name="secret"
          type="password"
          label={labels.secret}
          hint="The SETUP_SECRET of the deployment. It works once."
          required
          autocomplete="off"
        />
        <NameInput value={name} />
        <EmailInput value={email} />
        <PasswordInput label={labels.password} isNew hint={passwordHint} />
        <button type="submit">Create owner</button>
      </form>
    </SignedOutLayout>
  );
}

interface SignInPageProps {
  hasFailed?: boolean;
  email?: string | undefined;
  /** The page to open after sign-in. */
  to?: string | undefined;
  savedForm?: SavedForm | undefined;
  /** Whether the caller sent a form that cannot be sent again after sign-in. */
  hasLostForm?: boolean;
  problem?: Problem;
}

export function SignInPage({
  hasFailed,
  email,
  to,
  savedForm,
  hasLostForm,
  problem,
}: SignInPageProps) {
  return (
    <SignedOutLayout title="Sign in" problem={problem}>
      {hasFailed ? <p role="alert">Incorrect email or password.</p> : null}
      {savedForm && !hasFailed ? (
        <p class="notice warn">Your session ended. Sign in to save your changes.</p>
      ) : null}
      {hasLostForm ? (
        <p class="notice warn">
          Your session ended, and nothing was saved. Sign in in another tab, then go back and send
          the form again.
        </p>
      ) : null}
      <form method="post" action="/admin/sign-in" class="narrow">
        {to ? <input type="hidden" name="to" value={to} /> : null}
        {savedForm ? <input type="hidden" name="kept" value={JSON.stringify(savedForm)} /> : null}
        <EmailInput value={email} />
        <PasswordInput label={labels.password} />
        <button type="submit">Sign in</button>
      </form>
    </SignedOutLayout>
  );
}

export const renderSignIn = (savedForm: SavedForm | undefined, hasLostForm: boolean) => (
  <SignInPage savedForm={savedForm} hasLostForm={hasLostForm} />
);
