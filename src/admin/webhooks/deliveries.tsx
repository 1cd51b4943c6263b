import {
  type RetryState,
  type Delivery,
  formatDeliveryId,
  isDelivered,
} from "#domain/webhook/delivery.ts";
import { haveMakerRightsEnded } from "#domain/webhook/status.ts";
import { Action } from "#html/action-button.tsx";
import { Time } from "#html/viewer.tsx";
import { Badge, EmptyState, NextLink, Table } from "#html/parts.tsx";
import * as z from "zod/mini";
import { listDeliveries } from "#actions/deliveries.ts";
import { getWebhookWithLabels } from "#actions/webhooks.ts";
import { deliveryDocument, webhookDocument } from "#documents/webhooks.ts";
import { lazy } from "#domain/lazy.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { page } from "#admin/page.ts";
import { WebhookLayout, webhookPath } from "./layout.tsx";

function RetryNotice({ failure: { tries, nextAt }, path }: { failure: RetryState; path: string }) {
  const text = useText().webhooks.deliveries;
  const next = <Time at={nextAt} as="recent" />;
  return (
    <div class="notice warn actions">
      <span>{text.retrying(tries, next)}</span>
      <Action action={path} name={text.retry} quiet little values={{ state: "active" }} />
    </div>
  );
}

/** A link to the delivered item. Only its ID after the item was deleted. */
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

/** The error of the delivery, the status and the start of the receiver's response. */
function DeliveryResponse({ delivery }: { delivery: Delivery }) {
  const { answer, status } = delivery;
  const text = useText().webhooks.deliveries;
  return (
    <>
      {text.error(delivery) || (status === null ? text.noResponse : null)} {answer ? null : status}
      {answer ? (
        <details>
          <summary>
            {status} {text.responseBody}
          </summary>
          <pre class="wrapped">
            <code>{answer}</code>
          </pre>
        </details>
      ) : null}
    </>
  );
}

function Row({ delivery, path }: { delivery: Delivery; path: string }) {
  const { number, at, message, collection, attempt, milliseconds } = delivery;
  const isSuccess = isDelivered(delivery);
  const { webhooks } = useText();
  const text = webhooks.deliveries;
  return (
    <tr>
      <td data-label={text.columns.time}>
        <Time at={at} as="recent" />
      </td>
      <th scope="row" class="nowrap">
        <span title={`${delivery.type} ${message}`}>{describeType(delivery, webhooks)}</span>{" "}
        <DeliveredItem delivery={delivery} />
      </th>
      <td class="state">
        <Badge tone={isSuccess ? "good" : "bad"}>
          {isSuccess ? text.results.sent : text.results.failed}
        </Badge>
      </td>
      <td class="why full">
        <DeliveryResponse delivery={delivery} />
      </td>
      <td class="number" data-label={text.columns.milliseconds}>
        {milliseconds}
      </td>
      <td class="nowrap" data-label={text.columns.attempt}>
        {attempt === 0 && collection !== null ? text.manual : Math.max(attempt, 1)}
      </td>
      <td class="full">
        <Action
          action={`${path}/deliveries/${formatDeliveryId(number)}/redeliver`}
          name={text.resend}
          quiet
          little
        />
      </td>
    </tr>
  );
}

/** Describes the event in words. Only tests have no collection. */
function describeType(
  { type, collection }: Delivery,
  { types, deliveries }: Catalogue["webhooks"],
): string {
  const names: Readonly<Record<string, string>> = types;
  return collection === null ? deliveries.test : (names[type] ?? type);
}

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
    const webhookWithLabels = await getWebhookWithLabels(ctx, param("id"));
    const { nextPosition, ...report } = await listDeliveries(
      ctx,
      webhookWithLabels.hook,
      before,
      pageSize,
    );
    const next =
      nextPosition === null
        ? null
        : `${webhookPath(webhookWithLabels.hook.id)}?before=${nextPosition}`;
    return { ...webhookWithLabels, ...report, next };
  },
  document: ({ hook, deliveries }, { ctx }) => ({
    ...webhookDocument(hook, ctx.now()),
    deliveries: deliveries.map(deliveryDocument),
  }),
  render(frame, { deliveries, failure, next, ...props }) {
    const { hook } = props;
    const isSending = hook.state === "active" && !haveMakerRightsEnded(hook, frame.viewer.now);
    const path = webhookPath(hook.id);
    const text = frame.text.webhooks.deliveries;
    const { time, event, status, response, milliseconds, attempt, actions } = text.columns;
    const duration = { name: milliseconds, number: true };
    return (
      <WebhookLayout frame={frame} {...props} tab="deliveries">
        {failure && isSending ? <RetryNotice failure={failure} path={path} /> : null}
        {deliveries.length === 0 ? (
          <EmptyState>
            <p>{text.none}</p>
            <p>{text.explanation}</p>
          </EmptyState>
        ) : (
          <Table
            caption={text.caption}
            columns={[time, event, status, response, duration, attempt, actions]}
          >
            {deliveries.map((delivery) => (
              <Row delivery={delivery} path={path} />
            ))}
          </Table>
        )}
        <NextLink href={next} name={text.older} />
      </WebhookLayout>
    );
  },
});
