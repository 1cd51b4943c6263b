import { deliveryId, isDelivered, type Delivery } from "../../../domain/webhook/delivery";
import { Act } from "../../../html/act";
import { Badge } from "../../../html/parts/badge";
import { Time } from "../../../html/time";
import { useReader } from "../../../html/reader";
import { clockOr } from "./waits";
import { Told, Answered } from "./outcome";

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
