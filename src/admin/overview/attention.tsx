import type { Credential } from "../../domain/credential/credential";
import { showCount } from "../../html/show-count";
import { Time } from "../../html/time";
import { useReader } from "../../html/reader";
import type { FormState, StoppedWebhook } from "../../store/overview";
import { Entry } from "./entry";
import { NothingWrong } from "./nothing-wrong";

/** What somebody should look at. */
export interface Attended {
  expiring: Credential[];
  refused: { credential: Credential; requests: number; refusals: number }[];
  forms: FormState[];
  webhooks: StoppedWebhook[];
}

export function Attention({
  expiring,
  refused,
  forms,
  webhooks,
  define,
  isNew,
}: Attended & {
  define: boolean;
  /** Nothing was asked or made lately. */
  isNew: boolean;
}) {
  const { now } = useReader();
  if (expiring.length + refused.length + forms.length + webhooks.length === 0) {
    return <NothingWrong begins={isNew && define} />;
  }
  return (
    <ul class="attention">
      {refused.map(({ credential, requests, refusals }) => (
        <Entry
          tone="bad"
          state="Refused"
          act={["See why", `/admin/integrations/${credential.id}?status=refused`]}
        >
          <strong>
            <bdi>{credential.name}</bdi>
          </strong>
          : {showCount(refusals)} of {showCount(requests)} requests were refused in 24 hours.
        </Entry>
      ))}
      {expiring.map(({ id, name, expiresAt }) => (
        <Entry
          tone={(expiresAt ?? 0) < now ? "bad" : "warn"}
          state={(expiresAt ?? 0) < now ? "Expired" : "Expires soon"}
          act={["Extend it", `/admin/integrations/${id}/access#f-expires`]}
        >
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          {(expiresAt ?? 0) < now ? "expired" : "expires"}{" "}
          <Time at={expiresAt ?? 0} as="distance" />.
        </Entry>
      ))}
      {webhooks.map(({ id, name, state }) => (
        <Entry
          tone="bad"
          state={state === "failing" ? "Failing" : "Disabled"}
          act={["See why", `/admin/webhooks/${id}`]}
        >
          The webhook{" "}
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          tells nothing until it is resumed.
        </Entry>
      ))}
      {forms.map((form) => (
        <Entry
          tone="warn"
          state="Form"
          act={[define ? "Change when it closes" : "Look at it", `/admin/forms/${form.key}`]}
        >
          <strong>
            <bdi>{form.name}</bdi>
          </strong>{" "}
          {formState(form)}.
        </Entry>
      ))}
    </ul>
  );
}

function formState({ live, maxSubmissions, closesAt }: FormState) {
  if (maxSubmissions !== null && live >= maxSubmissions)
    return `is full: ${showCount(live)} of ${showCount(maxSubmissions)}`;
  if (maxSubmissions !== null && live >= maxSubmissions * 0.9)
    return `is nearly full: ${showCount(live)} of ${showCount(maxSubmissions)}`;
  return (
    <>
      closes <Time at={closesAt ?? 0} as="distance" />
    </>
  );
}
