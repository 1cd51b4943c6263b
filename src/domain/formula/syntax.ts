import type { ASTNode } from "@marcbachmann/cel-js";
import { comprehensions, functions, methods } from "./environment";

/** Rows that a list can have. */
const mostRows = 500;

/** The first call of what formulas do not have, or a list that is gone through within another. */
export function strangePart(
  node: ASTNode,
  depth = 0,
): { reason: string; position: number } | undefined {
  const refuse = (reason: string) => ({ reason, position: node.start });
  if (node.op === "map") return refuse("Maps are not available in formulas.");
  if (node.op === "call" && !functions.has(node.args[0])) {
    return refuse(
      `There is no function "${node.args[0]}". There are ${[...functions].join(", ")}.`,
    );
  }
  if (node.op === "rcall" && !methods.has(node.args[0])) {
    return refuse(`There is no method "${node.args[0]}". There are ${[...methods].join(", ")}.`);
  }
  const within = node.op === "rcall" && comprehensions.has(node.args[0]) ? depth + 1 : depth;
  if (within > 1) return refuse("Lists are not gone through within each other.");
  for (const child of childrenOf(node)) {
    const found = strangePart(child, within);
    if (found) return found;
  }
  return undefined;
}

export function childrenOf(node: ASTNode): ASTNode[] {
  const nodes = (value: unknown): ASTNode[] => {
    if (Array.isArray(value)) return value.flatMap(nodes);
    const isNode = typeof value === "object" && value !== null && "op" in value;
    return isNode ? [value as ASTNode] : [];
  };
  return nodes(node.args);
}

/** The names that a formula speaks of. */
export function idsOf(node: ASTNode): string[] {
  if (node.op === "rcall" && comprehensions.has(node.args[0])) {
    // The name of a row within the expression is no field, whatever field has it too.
    const [, list, [row, ...expressions]] = node.args;
    const bound = row?.op === "id" ? row.args : undefined;
    return [...idsOf(list), ...expressions.flatMap(idsOf).filter((id) => id !== bound)];
  }
  const own = node.op === "id" ? [node.args] : [];
  return [...own, ...childrenOf(node).flatMap(idsOf)];
}

/** The parts of a formula, those that run for each row counted so often. */
export function stepsOf(node: ASTNode): number {
  const inside = childrenOf(node).reduce((sum, child) => sum + stepsOf(child), 0);
  const rows = node.op === "rcall" && comprehensions.has(node.args[0]) ? mostRows : 1;
  return 1 + inside * rows;
}
