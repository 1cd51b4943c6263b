import type { Context } from "hono";
import type { AdminEnv } from "../../../../env";
import { createItem } from "../../../../actions/items/create-item";
import { noKey } from "../../../../actions/once-per-key";
import { itemDocument } from "../../../../documents/item";
import type { CollectionKind } from "../../../../domain/definition/collection";
import type { Problem } from "../../../../domain/problem/problem";
import { answerDone } from "../../../frame/answers";
import { attempted } from "../../../frame/attempted";
import { frameOf } from "../../../frame/frame";
import { readSent } from "../../../frame/negotiate";
import { say } from "../../../frame/said";
import { digestSeen } from "../../input/changes";
import { refuseTooMany } from "../../input/drawn-rows";
import { addressOf, opened } from "../../opened";
import { ItemFormPage } from "./form-page";
import { named } from "./refusal";
import { titleOf } from "../title";
import { fieldsOf, sentZone, sentBody } from "./sent-body";

type C = Context<AdminEnv>;

export async function createFromForm(c: C, kind: CollectionKind): Promise<Response> {
  const { compiled } = await opened(c, kind);
  const sent = await readSent(c);
  refuseTooMany(fieldsOf(compiled), sent);
  const again = async (refusal: Problem | undefined) => (
    <ItemFormPage
      frame={frameOf(c)}
      collection={compiled.collection}
      seen={await digestSeen(fieldsOf(compiled), {}, sentZone(sent, compiled))}
      sent={sent}
      problem={refusal && named(refusal, compiled)}
    />
  );
  if (sent["$more"] !== undefined) return c.html(await again(undefined));
  return attempted(
    c,
    async () => {
      const body = sentBody(sent, compiled);
      const { answer: view } = await createItem(c.var.action, compiled, body, noKey);
      say(
        c,
        `${titleOf(view, fieldsOf(compiled))} is saved${view.status === "draft" ? " as a draft" : ""}.`,
      );
      return answerDone(c, itemDocument(view), `${addressOf(c, kind)}/${view.id}`, 201);
    },
    again,
  );
}
