import type { PropsWithChildren } from "hono/jsx";
import { Input } from "#html/inputs.tsx";
import type { Role } from "#domain/credential/permissions.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { Page } from "#html/page.tsx";
import { BrandMark } from "#html/parts.tsx";
import { ErrorSummary, FormErrors } from "#html/form-errors.tsx";
import { type Localization, Localized, useText } from "#admin/language/index.tsx";
import type { SavedForm } from "./session.ts";
import { explainErrors } from "#admin/explain-problem.ts";

function PasswordInput({ isNew }: { isNew?: boolean }) {
  const text = useText().signIn;
  return (
    <Input
      name="password"
      type="password"
      label={text.labels.password}
      hint={isNew ? text.passwordHint : undefined}
      required
      minlength={isNew ? 12 : undefined}
      autocomplete={isNew ? "new-password" : "current-password"}
    />
  );
}

function EmailInput({ value, hint }: { value?: string | undefined; hint?: string | undefined }) {
  return (
    <Input
      name="email"
      type="email"
      label={useText().signIn.labels.email}
      hint={hint}
      value={value}
      autocomplete="username"
      required
    />
  );
}

const NameInput = ({ value }: { value?: string | undefined }) => (
  <Input
    name="name"
    label={useText().signIn.labels.name}
    hint={useText().signIn.nameHint}
    value={value}
    maxlength={100}
    autocomplete="name"
    required
  />
);

/** The properties of every page for visitors. */
interface VisitorProps {
  /** The language of the visitor. */
  localization: Localization;
  problem?: Problem;
}

/** The layout of pages for visitors who are not signed in. */
function SignedOutLayout({
  title,
  localization,
  problem,
  children,
}: PropsWithChildren<VisitorProps & { title: string }>) {
  const { problems, signIn } = localization.text;
  const explained = problem && explainErrors(problem, localization.text);
  return (
    <Localized {...localization}>
      <Page title={title} breadcrumbs={<BrandMark />}>
        {explained ? (
          <ErrorSummary
            problem={explained}
            detail={problems.detail(explained)}
            labels={signIn.labels}
          />
        ) : null}
        <FormErrors problem={explained}>{children}</FormErrors>
      </Page>
    </Localized>
  );
}

/** Offers to resubmit a form that the member sent after the session had ended. */
export function ResumeFormPage({ savedForm, ...visitor }: VisitorProps & { savedForm: SavedForm }) {
  const text = visitor.localization.text.signIn.resume;
  return (
    <SignedOutLayout {...visitor} title={text.title}>
      <p>{text.text}</p>
      <form method="post" action={savedForm.path}>
        {savedForm.fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <div class="actions">
          <button type="submit" autofocus>
            {text.save}
          </button>
          <a class="button quiet" href="/admin">
            {text.discard}
          </a>
        </div>
      </form>
    </SignedOutLayout>
  );
}

/** The page for a link that no longer works. */
function EndedLinkPage({ text, ...props }: VisitorProps & { title: string; text: string }) {
  return (
    <SignedOutLayout {...props}>
      <p>{text}</p>
      <p>
        <a class="button" href="/admin/sign-in">
          {props.localization.text.signIn.signIn}
        </a>
      </p>
    </SignedOutLayout>
  );
}

export function ResetEndedPage({ localization }: VisitorProps) {
  const { endedTitle, ended } = localization.text.signIn.reset;
  return <EndedLinkPage localization={localization} title={endedTitle} text={ended} />;
}

export function ResetPage({ email, ...visitor }: VisitorProps & { email: string }) {
  const text = visitor.localization.text.signIn.reset;
  return (
    <SignedOutLayout {...visitor} title={text.title}>
      <p>{text.text(<strong>{email}</strong>)}</p>
      <form method="post" class="narrow">
        <input type="hidden" name="email" value={email} autocomplete="username" />
        <PasswordInput isNew />
        <button type="submit">{text.submit}</button>
      </form>
    </SignedOutLayout>
  );
}

export function InvitationEndedPage({ localization }: VisitorProps) {
  const { endedTitle, ended } = localization.text.signIn.join;
  return <EndedLinkPage localization={localization} title={endedTitle} text={ended} />;
}

export function SetUpFinishedPage({ localization }: VisitorProps) {
  const { finishedTitle, finished } = localization.text.signIn.setUp;
  return <EndedLinkPage localization={localization} title={finishedTitle} text={finished} />;
}

/** Replaces the sign-in page if Cloudflare Access signs members in. */
export function AccessPage(visitor: VisitorProps) {
  const text = visitor.localization.text.signIn.access;
  return (
    <SignedOutLayout {...visitor} title={text.title}>
      <p>{text.text}</p>
      <p>
        <a class="button" href="/admin">
          {text.open}
        </a>
      </p>
    </SignedOutLayout>
  );
}

export function JoinPage({
  email,
  role,
  name,
  hasAccess,
  ...visitor
}: VisitorProps & { email: string; role: Role; name?: string; hasAccess: boolean }) {
  const { signIn, terms } = visitor.localization.text;
  const text = signIn.join;
  return (
    <SignedOutLayout {...visitor} title={text.title}>
      <p>
        {(hasAccess ? text.textWithAccess : text.text)(<strong>{email}</strong>, terms.roles[role])}
      </p>
      <form method="post" class="narrow">
        <NameInput value={name} />
        {hasAccess ? null : (
          <>
            <input type="hidden" name="email" value={email} autocomplete="username" />
            <PasswordInput isNew />
          </>
        )}
        <button type="submit">{text.submit}</button>
      </form>
    </SignedOutLayout>
  );
}

export function SetUpPage({
  email,
  name,
  isRejected,
  hasAccess,
  ...visitor
}: VisitorProps & { email?: string; name?: string; isRejected?: boolean; hasAccess: boolean }) {
  const { labels, setUp: text } = visitor.localization.text.signIn;
  return (
    <SignedOutLayout {...visitor} title={text.title}>
      {isRejected ? <p role="alert">{text.rejected}</p> : null}
      <form method="post" action="/admin/setup" class="narrow">
        <Input
          name="secret"
          type="password"
          label={labels.secret}
          hint={text.secretHint}
          required
          autocomplete="off"
        />
        <NameInput value={name} />
        <EmailInput value={email} hint={hasAccess ? text.accessHint : undefined} />
        {hasAccess ? null : <PasswordInput isNew />}
        <button type="submit">{text.submit}</button>
      </form>
    </SignedOutLayout>
  );
}

interface SignInPageProps extends VisitorProps {
  hasFailed?: boolean;
  email?: string | undefined;
  /** The page to open after sign-in. */
  to?: string | undefined;
  savedForm?: SavedForm | undefined;
  /** Whether the caller sent a form that cannot be resubmitted after sign-in. */
  hasLostForm?: boolean;
}

export function SignInPage({
  hasFailed,
  email,
  to,
  savedForm,
  hasLostForm,
  ...visitor
}: SignInPageProps) {
  const text = visitor.localization.text.signIn;
  return (
    <SignedOutLayout {...visitor} title={text.signIn}>
      {hasFailed ? <p role="alert">{text.incorrect}</p> : null}
      {savedForm && !hasFailed ? <p class="notice warn">{text.sessionEnded}</p> : null}
      {hasLostForm ? <p class="notice warn">{text.formLost}</p> : null}
      <form method="post" action="/admin/sign-in" class="narrow">
        {to ? <input type="hidden" name="to" value={to} /> : null}
        {savedForm ? <input type="hidden" name="kept" value={JSON.stringify(savedForm)} /> : null}
        <EmailInput value={email} />
        <PasswordInput />
        <button type="submit">{text.signIn}</button>
      </form>
    </SignedOutLayout>
  );
}

export const renderSignIn = (
  localization: Localization,
  savedForm: SavedForm | undefined,
  hasLostForm: boolean,
) => <SignInPage localization={localization} savedForm={savedForm} hasLostForm={hasLostForm} />;
