import { type Waiting, type Delivery, deliveryId, isDelivered } from "#domain/webhook/delivery.ts";
import { Act } from "#html/action-button.tsx";
import { Time, useReader } from "#html/viewer.tsx";
import { Badge, Empty, Next, Table } from "#html/parts.tsx";
import { WebhookFrame, type HookShown } from "./layout.tsx";

export function Waits({ failure: { tries, nextAt }, path }: { failure: Waiting; path: string }) {
  return (
    <div class="notice warn actions">
      <span>
        {tries === 1 ? "A try" : `${tries} tries`} failed; until the message is taken, the others
        wait. The next try is at <Time at={nextAt} as={clockOr(nextAt, useReader().now)} />.
      </span>
      <Act action={path} name="Try now" quiet little values={{ state: "active" }} />
    </div>
  );
}

const near = 20 * 60 * 60 * 1000;

/** The clock alone, where the day speaks for itself. */
export const clockOr = (at: number, now: number) => (Math.abs(now - at) < near ? "clock" : "time");

/** The item that it tells of, for as long as there is one. */
export function Told({ delivery: { collection, item, type } }: { delivery: Delivery }) {
  if (collection === null || item === null) return null;
  const [kind = "", key = ""] = collection.split(":");
  const short = `…${item.slice(-8)}`;
  if (type === "submission.deleted") return <code title={item}>{short}</code>;
  return (
    <a href={`/admin/${kind}s/${key}/items/${item}`} title={item}>
      {short}
    </a>
  );
}

/** Why it was no success, and how the answer began. */
export function Answered({ delivery: { error, answer } }: { delivery: Delivery }) {
  return (
    <>
      {error}
      {answer ? (
        <details>
          <summary>What it answered</summary>
          <pre class="wrapped">
            <code>{answer}</code>
          </pre>
        </details>
      ) : null}
    </>
  );
}

export function Row({ delivery, path }: { delivery: Delivery; path: string }) {
  const { number, at, message, attempt, status, milliseconds } = delivery;
  const delivered = isDelivered(delivery);
  return (
    <tr>
      <td>
        <Time at={at} as={clockOr(at, useReader().now)} />
      </td>
      <td class="full nowrap">
        <code title={message}>{delivery.type}</code> <Told delivery={delivery} />
      </td>
      <td>
        <Badge tone={delivered ? "good" : "bad"}>{status ?? "No answer"}</Badge>
      </td>
      <td class="why full">
        <Answered delivery={delivery} />
      </td>
      <td class="number" data-label="ms">
        {milliseconds}
      </td>
      <td class="nowrap" data-label="Try">
        {attempt === 0 ? "by hand" : attempt}
      </td>
      <td>
        <Act
          action={`${path}/deliveries/${deliveryId(number)}/redeliver`}
          name="Send again"
          quiet
          little
        />
      </td>
    </tr>
  );
}

interface Shown extends HookShown {
  deliveries: readonly Delivery[];
  /** What it waits for after a failure. */
  failure: Waiting | null;
  next: string | null;
}

const heads = [
  "Time",
  "Message",
  "Outcome",
  "Answer",
  { name: "ms", number: true },
  "Try",
  "Again",
];

/** What was sent, and how it went. */
export function DeliveriesPage({ deliveries, failure, next, ...shown }: Shown) {
  const { id, state } = shown.hook;
  const path = `/admin/webhooks/${id}`;
  return (
    <WebhookFrame {...shown} tab="Deliveries">
      {failure && state === "active" ? <Waits failure={failure} path={path} /> : null}
      {deliveries.length === 0 ? (
        <Empty>
          <p>Nothing was sent yet.</p>
          <p>What is told stands here for 30 days, a few seconds after it happened.</p>
        </Empty>
      ) : (
        <Table caption="Deliveries" heads={heads}>
          {deliveries.map((delivery) => (
            <Row delivery={delivery} path={path} />
          ))}
        </Table>
      )}
      <Next href={next} name="Older" />
    </WebhookFrame>
  );
}
