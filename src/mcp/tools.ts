import type { DescribedTool } from "#documents/openapi/description.ts";
import { parameterSchemas, type ToolParameter } from "#documents/openapi/tool-inputs.ts";
import { permissionsAllow, type Permission } from "#domain/credential/permissions.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { collectionKeyPattern } from "#domain/definition/document.ts";
import { lazy } from "#domain/lazy.ts";
import { operations } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";

export type ToolOperation = Operation & { tool: DescribedTool };

const isTool = (op: Operation): op is ToolOperation => op.tool !== undefined;
const tools = lazy(() => Object.values<Operation>(operations()).filter(isTool));

/** Returns the tools that these permissions allow, without duplicate names. Other tools stay hidden. */
export function toolsFor(permissions: readonly Permission[]): ToolOperation[] {
  const allowedTools = tools().filter(
    ({ permission }) =>
      permission === null ||
      (typeof permission === "string" && permissionsAllow(permissions, permission)) ||
      (typeof permission === "object" &&
        "oneOf" in permission &&
        permission.oneOf.some((choice) => permissionsAllow(permissions, choice))),
  );
  // If several operations share a tool, the first one wins. The last entry of a `Map` replaces earlier ones.
  return [
    ...new Map(allowedTools.toReversed().map((op) => [op.tool.name, op])).values(),
  ].toReversed();
}

/** Finds a tool by name. `key` is the app or form at the end of the name. */
export function findTool(
  name: unknown,
  args: Record<string, unknown>,
): { op: ToolOperation; key?: string } | undefined {
  if (typeof name !== "string") return undefined;
  const kind = args["form"] === undefined && args["kind"] !== "form" ? "app" : "form";
  for (const op of tools()) {
    const { tool } = op;
    if (tool.name === name && (!tool.acceptsEitherKind || op.kind === kind)) return { op };
    const namePrefix = collectionToolName(op, "");
    const key = name.slice(namePrefix.length);
    if (tool.isPerCollection && name.startsWith(namePrefix) && collectionKeyPattern.test(key))
      return { op, key };
  }
  return undefined;
}

/** Returns the entry in `tools/list`. With a collection, the tool's name ends in the collection's key. */
export function toolDocument(op: ToolOperation, collection?: Collection) {
  const { name, title, description } = op.tool;
  const heading = collection
    ? {
        name: collectionToolName(op, collection.key),
        title: `${title}: ${collection.definition.name}`,
        description: `${description} Of the ${collection.kind} “${collection.definition.name}” (${collection.key}).`,
      }
    : { name, title, description };
  const isReadOnly = op.effect === "read" || op.tool.isReadOnly === true;
  const annotations = {
    readOnlyHint: isReadOnly,
    // A create overwrites nothing. A change does, and repeating it may have a further effect.
    destructiveHint: op.effect === "write" && !isReadOnly,
    idempotentHint: isReadOnly,
    openWorldHint: false,
  };
  const parameters = parameterSchemas(...parameterNames(op, collection?.key));
  return { ...heading, inputSchema: op.tool.input(parameters, collection), annotations };
}

export const collectionToolName = ({ tool }: ToolOperation, key: string) => `${tool.name}_${key}`;

/** Returns the arguments that are not part of the body. They depend on the path, the effect and the query. */
export function parameterNames(op: Operation, key: string | undefined): ToolParameter[] {
  const { kind, path, precondition, effect, body, query } = op;
  return [
    ...(kind && path.includes(":key") && key === undefined ? [kind] : []),
    ...(path.includes(":id") ? (["id"] as const) : []),
    ...(precondition === "If-Match" ? (["if_match"] as const) : []),
    ...(effect === "create" ? (["idempotency_key"] as const) : []),
    ...("view" in query().shape ? (["view"] as const) : []),
    ...(!body && "limit" in query().shape ? (["limit", "cursor"] as const) : []),
    ...(!body && "expand" in query().shape ? (["expand"] as const) : []),
  ];
}
