import type { Problem } from "../../domain/problem/problem";
import { Act } from "../../html/act";
import { Input } from "../../html/form/input";
import { Select } from "../../html/form/select";
import { Facts } from "../../html/parts/facts";
import type { Frame } from "../frame/frame";
import { AdminPage } from "../frame/layout";

interface Shown {
  frame: Frame;
  sessions: number;
  /** The zone that was chosen; undefined where the browser's is taken. */
  zone: string | undefined;
  problem?: Problem;
}

const labels = { current: "Current password", password: "New password", zone: "Time zone" };

export function AccountPage({ frame, sessions, zone, problem }: Shown) {
  const { email, role } = frame.member;
  return (
    <AdminPage
      frame={frame}
      title="Your account"
      problem={problem}
      labels={labels}
      acts={
        <Act action="/admin/account/sign-out-everywhere" name="Sign out everywhere else" quiet />
      }
    >
      <Facts
        facts={[
          ["E-mail", email],
          ["Role", role],
          ["Signed in", sessions === 1 ? "here only" : `in ${sessions} places`],
        ]}
      />
      <form method="post" action="/admin/account/zone" id="zone">
        <h2>Dates and times</h2>
        <Select
          name="zone"
          label={labels.zone}
          hint="All times in the administration area are shown in it, on this browser."
          value={zone ?? ""}
          options={[
            { value: "", label: `As in this browser (${frame.reader.zone.replaceAll("_", " ")})` },
            ...zones().map((value) => ({ value, label: value.replaceAll("_", " ") })),
          ]}
        />
        <button type="submit" class="quiet">
          Use this zone
        </button>
      </form>
      <form method="post" action="/admin/account/password">
        <h2>Change your password</h2>
        <input type="hidden" value={email} autocomplete="username" />
        <Input
          name="current"
          type="password"
          label={labels.current}
          autocomplete="current-password"
          required
        />
        <Input
          name="password"
          type="password"
          label={labels.password}
          hint="At least 12 characters. All other sessions end."
          autocomplete="new-password"
          minlength={12}
          required
        />
        <button type="submit">Change password</button>
      </form>
    </AdminPage>
  );
}

const zones = () => ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
