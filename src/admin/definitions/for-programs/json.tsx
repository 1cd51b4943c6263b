import type { Context } from "hono";
import { putDefinition, readDefinition } from "../../../actions/definitions/definitions";
import type { CollectionKind } from "../../../domain/definition/collection";
import { etagOf } from "../../../domain/etag";
import { Problem, problem } from "../../../domain/problem/problem";
import type { AdminEnv } from "../../../env";
import { answer, answerDone } from "../../frame/answers";
import { attempted } from "../../frame/attempted";
import { frameOf } from "../../frame/frame";
import { readSent } from "../../frame/negotiate";
import { say } from "../../frame/said";
import { numberOf, textOf } from "../../frame/sent";
import { toldAt } from "../../frame/told-at";
import { JsonPage } from "./json-page";
import { documentOf } from "../document-of";
import { words } from "../words";
import { sentDefinition } from "./sent-definition";

type C = Context<AdminEnv>;

export async function showJson(c: C, kind: CollectionKind): Promise<Response> {
  const now = await readDefinition(c.var.action, kind, c.req.param("key") ?? "");
  const document = documentOf(now);
  const text = JSON.stringify(document, null, 2);
  return answer(c, document, () => <JsonPage {...{ frame: frameOf(c), now, text }} />);
}

/** The whole definition, pasted; scripts send it as the body itself. */
export async function saveJson(c: C, kind: CollectionKind): Promise<Response> {
  const key = c.req.param("key") ?? "";
  const sent = await readSent(c);
  return attempted(
    c,
    async () => {
      const document =
        typeof sent["document"] === "string" ? sentDefinition(sent["document"]) : sent;
      const version = numberOf(sent["version"] ?? document["schema_version"]);
      const body = { ...document, key };
      const conditions = { ifMatch: [etagOf(version)], ifNoneMatch: null };
      const saved = await putDefinition(c.var.action, kind, key, body, conditions).catch(
        (error: unknown) => {
          throw isLate(error) ? late() : error;
        },
      );
      say(c, `${saved.collection.definition.name} is saved.`);
      return answerDone(c, documentOf(saved), `${words[kind].path}/${key}`);
    },
    async (refusal) => {
      const now = await readDefinition(c.var.action, kind, key);
      const shown = { frame: frameOf(c), now, text: textOf(sent["document"]) };
      // Being late is nothing that is wrong with what was written.
      const told = refusal.code === "conflict" ? refusal : toldAt(refusal, "document");
      return <JsonPage {...shown} problem={told} />;
    },
  );
}

const isLate = (error: unknown) => error instanceof Problem && error.code === "version_mismatch";

const late = () =>
  problem.conflict(
    "Somebody else changed this in the meantime. Nothing was saved, and what you wrote is still here: look at what they did, then save again.",
  );
