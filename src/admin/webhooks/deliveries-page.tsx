import type { Delivery, Waiting } from "../../domain/webhook/delivery";
import { Empty } from "../../html/parts/empty";
import { Next } from "../../html/parts/next";
import { Table } from "../../html/parts/table";
import { WebhookFrame } from "./frame/webhook-frame";
import type { HookShown } from "./frame/hook-shown";
import { Waits } from "./deliveries/waits";
import { Row } from "./deliveries/row";

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
