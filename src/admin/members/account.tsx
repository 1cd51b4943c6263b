import * as z from "zod/mini";
import { problem } from "#domain/problem/problem.ts";
import { Action } from "#html/action-button.tsx";
import { Input, Select } from "#html/inputs.tsx";
import { Badge, DescriptionList, Table } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { usesAccess } from "#admin/sign-in/access.ts";
import { textOf } from "#admin/form-input.ts";
import { formatTimestamp } from "#domain/time.ts";
import type { SessionSummary } from "#store/home/sessions.ts";
import { AdminPage } from "#admin/layout.tsx";
import { Hono } from "hono";
import {
  changePassword,
  changeName,
  endSession,
  endSessions,
  listSessions,
  memberNameSchema,
  sessionIdOf,
  passwordSchema,
} from "#actions/members.ts";
import { abilities, roleAllows, type Ability } from "#domain/credential/permissions.ts";
import { capitalize } from "#domain/text.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { AdminEnv } from "#http/env.ts";
import { action, page } from "#admin/page.ts";
import { catalogueOf, languageNames, useText } from "#admin/language/index.tsx";
import { type Language, languages, negotiateLanguage } from "#domain/language.ts";
import {
  readChosenLanguage,
  readChosenZone,
  savePreferences,
  Preferences,
} from "#admin/preferences.ts";
import { zoneOptions } from "#admin/time-zones.ts";
import { limitAttempts } from "#admin/sign-in/session.ts";
import { lazy } from "#domain/lazy.ts";

const PasswordChange = lazy(() =>
  z.strictObject({
    current: z.string().check(z.maxLength(1000)),
    password: passwordSchema(),
  }),
);

const NameInput = lazy(() => z.strictObject({ name: memberNameSchema() }));

const accountPage = page({
  load: async ({ c, ctx }) => ({
    sessions: usesAccess(c.env) ? [] : await listSessions(ctx),
    hash: c.var.session,
    hasPassword: !usesAccess(c.env),
    zone: readChosenZone(c),
    language: readChosenLanguage(c),
  }),
  document({ sessions, hash, zone, language }, { ctx }) {
    const { email, name, role } = ctx.member;
    const granted = (Object.keys(abilities) as Ability[]).filter((each) => roleAllows(role, each));
    const sessionDocument = (session: SessionSummary) => ({
      id: sessionIdOf(session.hash),
      device: session.device,
      created_at: formatTimestamp(session.createdAt),
      last_seen_at: formatTimestamp(session.seenAt),
      current: session.hash === hash,
    });
    return {
      email,
      name,
      role,
      language: language ?? null,
      zone: zone ?? null,
      abilities: granted,
      sessions: sessions.map(sessionDocument),
    };
  },
  render(frame, { sessions, hash, hasPassword, zone, language }, attempt) {
    const { account: text, frame: frameText, terms } = frame.text;
    const { email, name, role } = frame.member;
    return (
      <AdminPage
        frame={frame}
        title={frameText.pages.account}
        problem={attempt?.problem}
        labels={text.labels}
      >
        <DescriptionList
          facts={[
            [text.email, email],
            [text.role, capitalize(terms.roles[role])],
          ]}
        />
        <form method="post" action="/admin/account/name" data-warn="">
          <Input
            name="name"
            label={text.labels.name}
            hint={text.nameHint}
            value={attempt && "name" in attempt.values ? textOf(attempt.values["name"]) : name}
            maxlength={100}
            autocomplete="name"
          />
          <button type="submit" class="quiet">
            {text.saveName}
          </button>
        </form>
        <LanguageForm language={language} />
        <ZoneForm zone={zone} found={frame.viewer.zone} />
        {hasPassword ? (
          <>
            <PasswordForm email={email} />
            <SessionsTable {...{ sessions, hash }} />
          </>
        ) : null}
      </AdminPage>
    );
  },
});

function LanguageForm({ language }: { language: Language | undefined }) {
  const text = useText().account;
  return (
    <form method="post" action="/admin/account/language" id="language" data-warn="">
      <Select
        name="language"
        label={text.labels.language}
        hint={text.languageHint}
        value={language ?? ""}
        options={[
          { value: "", label: text.browserLanguage },
          ...languages.map((value) => ({ value, label: languageNames[value] })),
        ]}
      />
      <button type="submit" class="quiet">
        {text.saveLanguage}
      </button>
    </form>
  );
}

function ZoneForm({ zone, found }: { zone: string | undefined; found: string }) {
  const text = useText().account;
  return (
    <form method="post" action="/admin/account/zone" id="zone" data-warn="">
      <Select
        name="zone"
        label={text.labels.zone}
        hint={text.zoneHint}
        value={zone ?? ""}
        options={[
          { value: "", label: text.browserZone(found.replaceAll("_", " ")) },
          ...zoneOptions(zone),
        ]}
      />
      <button type="submit" class="quiet">
        {text.saveZone}
      </button>
    </form>
  );
}

function PasswordForm({ email }: { email: string }) {
  const text = useText().account;
  return (
    <form method="post" action="/admin/account/password" data-warn="">
      <h2>{text.password}</h2>
      <input type="hidden" value={email} autocomplete="username" />
      <Input
        name="current"
        type="password"
        label={text.labels.current}
        autocomplete="current-password"
        required
      />
      <Input
        name="password"
        type="password"
        label={text.labels.password}
        hint={text.passwordHint}
        autocomplete="new-password"
        minlength={12}
        required
      />
      <button type="submit">{text.changePassword}</button>
    </form>
  );
}

/** The sessions of the member, each with a button that ends it. */
function SessionsTable({ sessions, hash }: { sessions: readonly SessionSummary[]; hash: string }) {
  const { sessionColumns: columns, ...text } = useText().account;
  return (
    <>
      <h2>{text.sessions}</h2>
      <Table
        caption={text.sessions}
        columns={[columns.device, columns.lastSeen, columns.signedIn, columns.actions]}
      >
        {sessions.map((session) => (
          <tr>
            <th scope="row">{session.device ? text.device(session.device) : text.unknownDevice}</th>
            <td data-label={columns.lastSeen}>
              {session.hash === hash ? (
                <Badge tone="accent">{text.thisSession}</Badge>
              ) : (
                <Time at={session.seenAt} as="distance" />
              )}
            </td>
            <td data-label={columns.signedIn}>
              <Time at={session.createdAt} />
            </td>
            <td>
              {session.hash === hash ? null : (
                <Action
                  action={`/admin/account/sessions/${sessionIdOf(session.hash)}/end`}
                  name={text.signOut}
                  quiet
                  little
                />
              )}
            </td>
          </tr>
        ))}
      </Table>
      <Action action="/admin/account/sign-out-everywhere" name={text.signOutOthers} quiet />
    </>
  );
}

const endOne = action({
  async act({ ctx, param, text }) {
    await endSession(ctx, param("session"));
    return { to: "/admin/account", flash: text.account.signedOut, document: null };
  },
});

const chooseName = accountPage.form({
  fields: NameInput,
  async act({ ctx, text }, { name }) {
    await changeName(ctx, name);
    return { to: "/admin/account", flash: text.account.nameSaved, document: { name } };
  },
});

const signOutEverywhere = action({
  async act({ c, ctx, text }) {
    await endSessions(ctx, c.var.session);
    return { to: "/admin/account", flash: text.account.signedOutOthers, document: null };
  },
});

/** The confirmation is in the chosen language. */
const chooseLanguage = accountPage.form({
  fields: Preferences,
  async act({ c, ctx }, { language }) {
    await savePreferences(c, ctx, { language: language ?? "" });
    const chosenLanguage = language || negotiateLanguage(c.req.header("Accept-Language"));
    return {
      to: "/admin/account",
      flash: catalogueOf(chosenLanguage).account.languageSaved,
      document: { language: language || null },
    };
  },
});

const chooseZone = accountPage.form({
  fields: Preferences,
  async act({ c, ctx, text }, { zone }) {
    await savePreferences(c, ctx, { zone: zone ?? "" });
    return {
      to: "/admin/account",
      flash: text.account.zoneSaved,
      document: { zone: zone ?? null },
    };
  },
});

const choosePassword = accountPage.form({
  fields: PasswordChange,
  async act({ c, ctx, text }, { current, password }) {
    await limitAttempts(c, `password ${ctx.member.id}`);
    if (!(await ctx.passwords.verify(current, ctx.member.password))) {
      throw problem.invalidInput([
        errorAt(["current"], "invalid_format", text.account.incorrectPassword),
      ]);
    }
    await changePassword(ctx, c.var.session, password);
    return { to: "/admin/account", flash: text.account.passwordChanged, document: null };
  },
});

/** The routes of a member's own account. */
export const accountRoutes = () =>
  new Hono<AdminEnv>()
    .get("/", accountPage.show)
    .post("/name", chooseName)
    .post("/sessions/:session/end", endOne)
    .post("/sign-out-everywhere", signOutEverywhere)
    .post("/language", chooseLanguage)
    .post("/zone", chooseZone)
    .post("/password", choosePassword);
