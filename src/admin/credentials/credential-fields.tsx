import { defaultLimits } from "../../domain/credential/credential";
import { permissions, type Permission } from "../../domain/credential/permissions";
import { numberOf, textOf, type Sent } from "../frame/sent";

const meanings: Record<Permission, string> = {
  "records:read": "read and search the records of apps",
  "records:create": "create records",
  "records:write": "create and change records",
  "submissions:read": "read and search the submissions of forms",
  "submissions:create": "create and check submissions",
  "submissions:write": "create and change submissions",
  "submissions:delete": "delete submissions",
  "schema:read": "read definitions and OpenAPI documents",
  "schema:write": "make and change apps and forms",
  "webhooks:manage": "make and change webhooks, and look at their deliveries",
};

const expiries = [
  ["30d", "in 30 days"],
  ["90d", "in 90 days"],
  ["365d", "in 365 days"],
  ["never", "never"],
] as const;

interface Fields {
  resources: string[];
  sent: Sent | undefined;
  /** When it expires now: then it may stay so. */
  expires?: string | undefined;
}

const listed = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(textOf) : value === undefined ? [] : [textOf(value)];

/** What is chosen for a credential, new or old. */
export function CredentialFields({ resources, sent = {}, expires }: Fields) {
  const chosen = listed(sent["permissions"]);
  const visible = listed(sent["resources"]);
  const all = visible.length === 0 || visible.includes("all");
  return (
    <>
      <label class="narrow">
        Name
        <input name="name" required maxlength={200} value={textOf(sent["name"])} />
      </label>
      <fieldset>
        <legend>It may</legend>
        {permissions.map((permission) => (
          <label class="choice">
            <input
              type="checkbox"
              name="permissions"
              value={permission}
              checked={chosen.includes(permission)}
            />
            <span>
              {meanings[permission]} <small>{permission}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>On</legend>
        {["all", ...resources].map((name) => (
          <label class="choice">
            <input
              type="checkbox"
              name="resources"
              value={name}
              checked={name === "all" ? all : visible.includes(name)}
            />
            {name === "all" ? "everything, also what is made later" : name.replace(":", " ")}
          </label>
        ))}
        <small>“Everything” wins where both are ticked.</small>
      </fieldset>
      <div class="grid">
        <label>
          Expires
          <select name="expires" required>
            <option value="">{expires === undefined ? "Choose" : `As now: ${expires}`}</option>
            {expiries.map(([value, name]) => (
              <option value={value} selected={sent["expires"] === value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          or on the day
          <input type="date" name="expires_on" />
        </label>
        <label>
          which ends in the time zone
          <input name="time_zone" value={textOf(sent["time_zone"] ?? "UTC")} />
        </label>
        <Limit name="requests" label="Requests a minute" value={sent["requests"]} />
        <Limit name="writes" label="of these, writes" value={sent["writes"]} />
      </div>
    </>
  );
}

function Limit({
  name,
  label,
  value,
}: {
  name: "requests" | "writes";
  label: string;
  value: unknown;
}) {
  return (
    <label>
      {label}
      <input
        type="number"
        name={name}
        min={1}
        max={100_000}
        value={numberOf(value) || defaultLimits[name]}
      />
    </label>
  );
}
