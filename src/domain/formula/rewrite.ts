import type { ASTNode } from "@marcbachmann/cel-js";
import { comprehensions, functions, methods, emptiness, type Macro, refuseLongText, renamed } from "./environment.ts";
import { spend, spendText, Decimal } from "./arithmetic.ts";

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

/**
 * A formula's tree is made to mean what ours mean: every number an exact decimal, `== null` a question for emptiness, and
 * each part counted when it is evaluated. These are the members of the language's nodes that this takes.
 */
interface Rewritable {
  op: string;
  args: unknown;
  meta: {
    alternate?: Rewritable;
    macro?: Macro;
    evaluate: Evaluate;
  };
  input: string;
  start: number;
  end: number;
  evaluate: Evaluate;
  setMeta(key: "macro", value: Macro): Rewritable;
  clone(op: object, args: unknown): Rewritable;
}
type Evaluate = (evaluator: unknown, node: unknown, ctx: unknown) => unknown;

/** Before the types are checked. */
export function inDecimals(tree: ASTNode): void {
  // Children first: what a part is replaced by keeps them.
  for (const child of childrenOf(tree)) inDecimals(child);
  const node = tree as unknown as Rewritable;
  if (tree.op === "value") node.args = inDecimal(tree.args, node);
  if (tree.op === "call" || tree.op === "rcall") {
    const args = node.args as [string, ...unknown[]];
    args[0] = renamed[args[0]] ?? args[0];
  }
  if (tree.op === "==" || tree.op === "!=") {
    const [a, b] = tree.args;
    const sought = isNull(b) ? a : isNull(a) ? b : undefined;
    if (sought) node.setMeta("macro", emptiness(sought, tree.op === "=="));
  }
  if (tree.op === "[]") {
    const args = node.args as [unknown, Rewritable];
    args[1] = asIndex(args[1]);
  }
}

function inDecimal(value: unknown, node: Rewritable): unknown {
  if (typeof value === "bigint") return new Decimal(value.toString());
  return typeof value === "number" ? new Decimal(literal(node)) : value;
}

/** As it was written: the language has read a decimal as a binary fraction. */
function literal({ input, start, end }: Rewritable): string {
  return input.slice(start, end);
}

function isNull(node: ASTNode): boolean {
  return node.op === "value" && node.args === null;
}

/** Lists are indexed by the language's own whole numbers. */
function asIndex(node: Rewritable): Rewritable {
  const index = node.clone({ name: "value" }, undefined);
  return index.setMeta("macro", {
    args: [node],
    typeCheck(checker, macro, ctx) {
      const type = checker.check(macro.args[0], ctx);
      return String(type) === "decimal" ? checker.getType("int") : type;
    },
    evaluate(evaluator, macro, ctx) {
      const value = evaluator.run(macro.args[0], ctx);
      return value instanceof Decimal ? BigInt(value.toFixed()) : value;
    },
  });
}

/** After the types are checked: each part counts as a step, and texts and lists by their length. */
export function countSteps(tree: ASTNode): void {
  for (const child of childrenOf(tree)) countSteps(child);
  const node = tree as unknown as Rewritable;
  const { alternate, macro, evaluate } = node.meta;
  const run: Evaluate = alternate
    ? (evaluator, _, ctx) => alternate.evaluate(evaluator, alternate, ctx)
    : macro
      ? (evaluator, _, ctx) => macro.evaluate(evaluator as never, macro, ctx)
      : evaluate;
  const builds = tree.op === "+" || tree.op === "call";
  node.evaluate = (evaluator, self, ctx) => {
    spend(1);
    const value = run(evaluator, self, ctx);
    if (typeof value === "string") {
      spendText(value);
      if (builds) refuseLongText(value);
    }
    if (Array.isArray(value)) spend(value.length / 4);
    return value;
  };
}
