import { collectionKey } from "#domain/definition/document.ts";
import { allows, type Permission } from "#domain/credential/permissions.ts";
import { collectionTools } from "./collections.ts";
import { itemTools } from "./items.ts";
import { ownName, type Tool } from "./tool.ts";

const tools: Tool[] = [...collectionTools, ...itemTools("app"), ...itemTools("form")];

/** Those that this credential is not refused; nothing tells of the others. */
export function toolsFor(permissions: readonly Permission[]): Tool[] {
  return tools.filter(({ permission }) => permission === null || allows(permissions, permission));
}

/** The tool of this name, and the key of the app or form whose own it is. */
export function findTool(name: unknown): { tool: Tool; key?: string } | undefined {
  if (typeof name !== "string") return undefined;
  for (const tool of tools) {
    if (tool.name === name) return { tool };
    const start = ownName(tool, "");
    const key = name.slice(start.length);
    if (tool.kind && name.startsWith(start) && collectionKey.test(key)) return { tool, key };
  }
  return undefined;
}
