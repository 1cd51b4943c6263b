import * as z from "zod/mini";
import type { PathParameters } from "#actions/read.ts";
import { toolParameters, type ToolParameter } from "#documents/openapi/tool-inputs.ts";
import { readIfMatch } from "#domain/item/body.ts";
import type { Precondition } from "#domain/preconditions.ts";
import { bodyParsing, errorAt, zodErrors } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { parameterNames, type ToolOperation } from "./tools.ts";

type SentArguments = Record<string, unknown>;

/** The arguments of a call as the parts of a request. */
export interface CallArguments {
  path: PathParameters;
  query: {
    limit?: number | undefined;
    cursor?: string | undefined;
    expand?: string | undefined;
  };
  body: unknown;
  ifMatch: Precondition | null;
}

/** Splits the arguments into the parts of a request. `key` is the app or form in the tool's name. Throws 422. */
export function parseArguments(
  op: ToolOperation,
  key: string | undefined,
  sent: SentArguments,
): CallArguments {
  const { body, ...values } = op.tool.acceptsEitherKind
    ? takeCollection(sent)
    : takeParameters(sent, ...parameterNames(op, key));
  if (!op.body) assertNoUnknown(body);
  const { id = "", if_match, limit, cursor, expand } = values;
  const sentKey = values.key ?? values.app ?? values.form;
  return {
    path: { key: key ?? sentKey ?? "", id, delivery: "" },
    query: { limit, cursor, expand: expand?.join() },
    body,
    ifMatch: parseIfMatch(if_match),
  };
}

type ParameterValues = {
  [Name in ToolParameter]?: z.output<ReturnType<typeof toolParameters>[Name]> | undefined;
};

/** Splits the arguments into these parameters and a body of the API. Throws 422 for invalid parameters. */
function takeParameters(
  sent: SentArguments,
  ...names: ToolParameter[]
): ParameterValues & { body: SentArguments } {
  const shape = Object.fromEntries(names.map((name) => [name, toolParameters()[name]]));
  const result = z.object(shape).safeParse(sent, bodyParsing);
  if (!result.success) throw problem.invalidInput(zodErrors(result.error.issues));
  const parameters: readonly string[] = names;
  const body = Object.entries(sent).filter(([name]) => !parameters.includes(name));
  return { ...(result.data as ParameterValues), body: Object.fromEntries(body) };
}

/** Takes `app` or `form`. Also accepts `kind` and `key`, the former parameters, which assistants may have cached. */
function takeCollection(sent: SentArguments) {
  const isFormer = sent["kind"] !== undefined || sent["key"] !== undefined;
  if (isFormer) return takeParameters(sent, "kind", "key");
  if (sent["app"] === undefined && sent["form"] === undefined) {
    throw problem.invalidInput([errorAt([], "required", 'Send either "app" or "form".')]);
  }
  if (sent["app"] !== undefined && sent["form"] !== undefined) {
    const reason = 'Send either "app" or "form", not both.';
    throw problem.invalidInput([errorAt(["app"], "unknown_field", reason)]);
  }
  return takeParameters(sent, sent["form"] === undefined ? "app" : "form");
}

/** Throws 422 for unknown arguments. */
function assertNoUnknown(body: SentArguments): void {
  const result = z.strictObject({}).safeParse(body, bodyParsing);
  if (!result.success) throw problem.invalidInput(zodErrors(result.error.issues));
}

function parseIfMatch(ifMatch: string | undefined): Precondition | null {
  const condition = readIfMatch(ifMatch, ["if_match"]);
  if ("error" in condition) throw problem.invalidInput([condition.error]);
  return condition.ifMatch;
}
