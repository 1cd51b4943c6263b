import { Hono, type Context } from "hono";
import { visibleCredentials } from "../actions/credentials/credentials";
import type { Credential } from "../domain/credential/credential";
import type { AdminEnv } from "../env";
import { countCalls, type CallLog } from "../gate/call-log";
import { formsToWatch, submissionsBetween, type FormState } from "../store/overview";
import { answer } from "./frame/answers";
import { context, logOf } from "./credentials";
import { Time } from "../html/reader";
import { AdminPage } from "./frame/layout";
import { Plot } from "./plot";

const day = 24 * 60 * 60 * 1000;
const soon = 14 * day;
const shownDays = 30;

interface Figures {
  expiring: Credential[];
  refused: { credential: Credential; refusals: number }[];
  forms: FormState[];
  /** UTC, as in 2026-11-21; the last one is today. */
  days: { day: string; requests: number; refusals: number; submissions: number }[];
}

/** What needs attention, and how it went lately. */
export const overview = new Hono<AdminEnv>().get("/", async (c) => {
  const figures = await figuresOf(c, Date.now());
  const document = {
    expiring: figures.expiring.map(({ id, name, expiresAt }) => ({
      id,
      name,
      expires_at: new Date(expiresAt ?? 0).toISOString(),
    })),
    refused: figures.refused.map(({ credential, refusals }) => ({
      id: credential.id,
      name: credential.name,
      refusals,
    })),
    forms: figures.forms,
    days: figures.days,
  };
  return answer(c, document, () => <OverviewPage c={c} {...figures} />);
});

async function figuresOf(c: Context<AdminEnv>, now: number): Promise<Figures> {
  const tomorrow = (Math.floor(now / day) + 1) * day;
  const times = Array.from({ length: shownDays + 1 }, (_, i) => tomorrow - (shownDays - i) * day);
  const [credentials, forms, submissions] = await Promise.all([
    visibleCredentials(context(c)),
    formsToWatch(c.env.DB, now, now + soon),
    submissionsBetween(c.env.DB, times),
  ]);
  const logs = await Promise.all(credentials.map((credential) => logOf(c, credential)));
  const refused = credentials
    .map((credential, i) => ({ credential, log: logs[i] }))
    .map(({ credential, log }) => ({
      credential,
      refusals: log ? countCalls(log, now - day).refusals : 0,
    }))
    .filter(({ refusals }) => refusals > 0);
  return {
    expiring: credentials.filter(({ expiresAt }) => expiresAt !== null && expiresAt < now + soon),
    refused,
    forms,
    days: times.slice(0, -1).map((from, i) => ({
      day: new Date(from).toISOString().slice(0, 10),
      ...calls(logs, from),
      submissions: submissions[i] ?? 0,
    })),
  };
}

/** The calls of one day, of all credentials. */
function calls(logs: readonly CallLog[], from: number) {
  const counted = logs.map((log) => countCalls(log, from, from + day));
  return {
    requests: counted.reduce((sum, { requests }) => sum + requests, 0),
    refusals: counted.reduce((sum, { refusals }) => sum + refusals, 0),
  };
}

function OverviewPage({ c, expiring, refused, forms, days }: Figures & { c: Context<AdminEnv> }) {
  const calm = expiring.length + refused.length + forms.length === 0;
  return (
    <AdminPage c={c} title="Overview">
      <h2>Needs attention</h2>
      {calm ? <p class="card">Nothing at the moment.</p> : null}
      <ul class="cards">
        {expiring.map(({ id, name, expiresAt }) => (
          <li class="card">
            <p>
              <a href={`/admin/integrations/${id}`}>{name}</a> expires <Time at={expiresAt ?? 0} />.
            </p>
          </li>
        ))}
        {refused.map(({ credential, refusals }) => (
          <li class="card">
            <p>
              <a href={`/admin/integrations/${credential.id}`}>{credential.name}</a>: {refusals}{" "}
              {refusals === 1 ? "request" : "requests"} refused in 24 hours.
            </p>
          </li>
        ))}
        {forms.map((form) => (
          <li class="card">
            <p>
              <a href={`/admin/forms/${form.key}`}>{form.name}</a> {stateOf(form)}.
            </p>
          </li>
        ))}
      </ul>
      <h2>The last 30 days</h2>
      <div class="cards">
        <Plot
          title="Requests"
          note="refused ones in the other colour"
          bars={days.map((each) => ({ label: each.day, value: each.requests, bad: each.refusals }))}
        />
        <Plot
          title="Submissions"
          note="made in all forms"
          bars={days.map((each) => ({ label: each.day, value: each.submissions, bad: 0 }))}
        />
      </div>
    </AdminPage>
  );
}

function stateOf({ live, maxSubmissions, closesAt }: FormState) {
  if (maxSubmissions !== null && live >= maxSubmissions)
    return `is full: ${live} of ${maxSubmissions}`;
  if (maxSubmissions !== null && live >= maxSubmissions * 0.9)
    return `is nearly full: ${live} of ${maxSubmissions}`;
  return (
    <>
      closes <Time at={closesAt ?? 0} />
    </>
  );
}
