import {
  type RetryState,
  type Delivery,
  formatDeliveryId,
  isDelivered,
} from "#domain/webhook/delivery.ts";
import { haveMakerRightsEnded } from "#domain/webhook/status.ts";
import { Action } from "#html/action-button.tsx";
import { formatQuantity, Time, useViewer } from "#html/viewer.tsx";
import { Badge, EmptyState, NextLink, Table } from "#html/parts.tsx";
import * as z from "zod/mini";
import { listDeliveries } from "#actions/deliveries.ts";
import { getWebhookWithMaker } from "#actions/webhooks.ts";
import { deliveryDocument, webhookDocument } from "#documents/webhooks.ts";
import { lazy } from "#domain/lazy.ts";
import { page } from "#admin/page.ts";
import { WebhookLayout, webhookPath } from "./layout.tsx";

function RetryNotice({ failure: { tries, nextAt }, path }: { failure: RetryState; path: string }) {
  return (
    <div class="notice warn actions">
      <span>
        {formatQuantity(tries, "attempt")} failed. Later events are queued until the next attempt at{" "}
        <Time at={nextAt} as={timeFormat(nextAt, useViewer().now)} />.
      </span>
      <Action action={path} name="Retry now" quiet little values={{ state: "active" }} />
    </div>
  );
}

const clockOnlyMs = 20 * 60 * 60 * 1000;

/** Omits the date for times that are less than 20 hours away. */
const timeFormat = (at: number, now: number) =>
  Math.abs(now - at) < clockOnlyMs ? "clock" : "time";

/** A link to the delivered item, or only its ID once it is deleted. */
function DeliveredItem({ delivery: { collection, item, type } }: { delivery: Delivery }) {
  if (collection === null || item === null) return null;
  const [kind = "", key = ""] = collection.split(":");
  const shortId = `…${item.slice(-8)}`;
  if (type.endsWith(".deleted")) return <code title={item}>{shortId}</code>;
  return (
    <a href={`/admin/${kind}s/${key}/items/${item}`} title={item}>
      {shortId}
    </a>
  );
}

/** The error of the delivery, and the beginning of the receiver's response. */
function DeliveryResponse({ delivery: { error, answer } }: { delivery: Delivery }) {
  return (
    <>
      {error}
      {answer ? (
        <details>
          <summary>Response body</summary>
          <pre class="wrapped">
            <code>{answer}</code>
          </pre>
        </details>
      ) : null}
    </>
  );
}

function Row({ delivery, path }: { delivery: Delivery; path: string }) {
  const { number, at, message, attempt, status, milliseconds } = delivery;
  const isSuccess = isDelivered(delivery);
  return (
    <tr>
      <td>
        <Time at={at} as={timeFormat(at, useViewer().now)} />
      </td>
      <td class="full nowrap">
        <code title={message}>{delivery.type}</code> <DeliveredItem delivery={delivery} />
      </td>
      <td>
        <Badge tone={isSuccess ? "good" : "bad"}>{status ?? "No response"}</Badge>
      </td>
      <td class="why full">
        <DeliveryResponse delivery={delivery} />
      </td>
      <td class="number" data-label="ms">
        {milliseconds}
      </td>
      <td class="nowrap" data-label="Attempt">
        {attempt === 0 ? "Manual" : attempt}
      </td>
      <td>
        <Action
          action={`${path}/deliveries/${formatDeliveryId(number)}/redeliver`}
          name="Resend event"
          quiet
          little
        />
      </td>
    </tr>
  );
}

const headings = [
  "Time",
  "Event",
  "Status",
  "Response",
  { name: "ms", number: true },
  "Attempt",
  "Actions",
];

const pageSize = 50;
const DeliveriesQuery = lazy(() =>
  z.object({
    before: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
  }),
);

/** The deliveries of a webhook with their results. */
export const deliveriesPage = page({
  query: DeliveriesQuery,
  async load({ ctx, param, query: { before = null } }) {
    const found = await getWebhookWithMaker(ctx, param("id"));
    const { nextPosition, ...report } = await listDeliveries(ctx, found.hook, before, pageSize);
    const next =
      nextPosition === null ? null : `${webhookPath(found.hook.id)}?before=${nextPosition}`;
    return { ...found, ...report, next };
  },
  document: ({ hook, deliveries }, { ctx }) => ({
    ...webhookDocument(hook, ctx.now()),
    deliveries: deliveries.map(deliveryDocument),
  }),
  render(frame, { deliveries, failure, next, ...props }) {
    const { hook } = props;
    const isSending = hook.state === "active" && !haveMakerRightsEnded(hook, frame.viewer.now);
    const path = webhookPath(hook.id);
    return (
      <WebhookLayout frame={frame} {...props} tab="Deliveries">
        {failure && isSending ? <RetryNotice failure={failure} path={path} /> : null}
        {deliveries.length === 0 ? (
          <EmptyState>
            <p>No deliveries yet</p>
            <p>Deliveries appear here within seconds and stay for 30 days.</p>
          </EmptyState>
        ) : (
          <Table caption="Deliveries" columns={headings}>
            {deliveries.map((delivery) => (
              <Row delivery={delivery} path={path} />
            ))}
          </Table>
        )}
        <NextLink href={next} name="Show older deliveries" />
      </WebhookLayout>
    );
  },
});
