import type { ASTNode } from "@marcbachmann/cel-js";
import {
  comprehensions,
  formulaFunctions,
  formulaMethods,
  emptinessMacro,
  type Macro,
  assertTextLength,
  internalFunctionNames,
} from "./environment.ts";
import { spend, spendText, Decimal } from "./arithmetic.ts";
import { reasonFor, type Reason } from "#domain/problem/reasons.ts";

/** The maximum number of rows in a list. */
const maxRows = 500;

/** The loop around an expression. `isReceiver` is true for the list before the dot and false for the arguments. */
interface EnclosingLoop {
  name: string;
  isReceiver: boolean;
}

/** Finds the first expression that formulas do not support: maps, unknown functions and methods, and nested loops. */
export function findUnsupported(
  node: ASTNode,
  loop?: EnclosingLoop,
): { reason: Reason; position: number } | undefined {
  const reject = (reason: Reason) => ({ reason, position: node.start });
  if (node.op === "map") return reject(reasonFor("maps"));
  if (node.op === "call" && !formulaFunctions.has(node.args[0])) {
    return reject(
      reasonFor("unknownFunction", {
        name: node.args[0],
        functions: [...formulaFunctions].join(", "),
      }),
    );
  }
  if (node.op === "rcall" && !formulaMethods.has(node.args[0])) {
    return reject(
      reasonFor("unknownMethod", { name: node.args[0], methods: [...formulaMethods].join(", ") }),
    );
  }
  const isLoop = node.op === "rcall" && comprehensions.has(node.args[0]);
  if (isLoop && loop) {
    return reject(
      loop.isReceiver
        ? reasonFor("loopAfterLoop", { call: loop.name, loop: node.args[0] })
        : reasonFor("loopInLoop", { call: node.args[0], loop: loop.name }),
    );
  }
  for (const child of childrenOf(node)) {
    const childLoop = isLoop ? { name: node.args[0], isReceiver: child === node.args[1] } : loop;
    const unsupported = findUnsupported(child, childLoop);
    if (unsupported) return unsupported;
  }
  return undefined;
}

function childrenOf(node: ASTNode): ASTNode[] {
  const nodes = (value: unknown): ASTNode[] => {
    if (Array.isArray(value)) return value.flatMap(nodes);
    const isNode = typeof value === "object" && value !== null && "op" in value;
    return isNode ? [value as ASTNode] : [];
  };
  return nodes(node.args);
}

/** The data that a formula reads. */
export interface FormulaReads {
  /** The keys of fields. May include names that no field has. */
  keys: ReadonlySet<string>;
  /** The keys of columns, without their lists. Null if the formula computes a key and so may read any column. */
  columns: ReadonlySet<string> | null;
  /** Whether the formula reads the day of the calculation. */
  readsDay: boolean;
  /** Whether the formula reads days in the time zone of the collection. */
  readsZone: boolean;
}

/** Returns what a formula reads. Must run before rewriting, which replaces the nodes of indexes. */
export function readsOf(tree: ASTNode): FormulaReads {
  const columns = columnsIn(tree);
  const functions = new Set(functionsIn(tree));
  const readsDay = functions.has("today");
  return {
    keys: new Set(identifiersIn(tree)),
    columns: columns.includes(null) ? null : new Set(columns.filter((key) => key !== null)),
    readsDay,
    readsZone: readsDay || functions.has("days_between"),
  };
}

/** Returns the keys after a dot or in an index. Null stands for a computed index, which may be any key. */
function columnsIn(node: ASTNode): (string | null)[] {
  const columns = childrenOf(node).flatMap(columnsIn);
  if (node.op === ".") return [...columns, node.args[1]];
  if (node.op !== "[]") return columns;
  const [, index] = node.args;
  if (index.op !== "value") return [...columns, null];
  return typeof index.args === "string" ? [...columns, index.args] : columns;
}

function functionsIn(node: ASTNode): string[] {
  const functions = node.op === "call" ? [node.args[0]] : [];
  return [...functions, ...childrenOf(node).flatMap(functionsIn)];
}

function identifiersIn(node: ASTNode): string[] {
  if (node.op === "rcall" && comprehensions.has(node.args[0])) {
    // The row variable of a loop is not a field, even when a field has the same name.
    const [, list, [row, ...expressions]] = node.args;
    const rowVariable = row?.op === "id" ? row.args : undefined;
    return [
      ...identifiersIn(list),
      ...expressions.flatMap(identifiersIn).filter((id) => id !== rowVariable),
    ];
  }
  const identifiers = node.op === "id" ? [node.args] : [];
  return [...identifiers, ...childrenOf(node).flatMap(identifiersIn)];
}

/** Counts the parts of a formula. Parts inside a loop count once per possible row. */
export function estimateSteps(node: ASTNode): number {
  const childSteps = childrenOf(node).reduce((sum, child) => sum + estimateSteps(child), 0);
  const rows = node.op === "rcall" && comprehensions.has(node.args[0]) ? maxRows : 1;
  return 1 + childSteps * rows;
}

/**
 * The members of the parser's nodes that rewriting needs. Rewriting turns every number into an exact decimal and `== null`
 * into a test for emptiness, and counts each evaluated part.
 */
interface RewritableNode {
  op: string;
  args: unknown;
  meta: {
    alternate?: RewritableNode;
    macro?: Macro;
    evaluate: Evaluate;
  };
  input: string;
  start: number;
  end: number;
  evaluate: Evaluate;
  setMeta(key: "macro", value: Macro): RewritableNode;
  clone(op: object, args: unknown): RewritableNode;
}
type Evaluate = (evaluator: unknown, node: unknown, ctx: unknown) => unknown;

/** Rewrites numbers, tests for null, and the names of functions. Must run before the type check. */
export function rewriteNodes(tree: ASTNode): void {
  // Rewrites the children first, because the replacement of a node keeps them.
  for (const child of childrenOf(tree)) rewriteNodes(child);
  const node = tree as unknown as RewritableNode;
  if (tree.op === "value") node.args = toDecimal(tree.args, node);
  if (tree.op === "call" || tree.op === "rcall") {
    const args = node.args as [string, ...unknown[]];
    args[0] = internalFunctionNames[args[0]] ?? args[0];
  }
  if (tree.op === "==" || tree.op === "!=") {
    const [a, b] = tree.args;
    const operand = isNullLiteral(b) ? a : isNullLiteral(a) ? b : undefined;
    if (operand) node.setMeta("macro", emptinessMacro(operand, tree.op === "=="));
  }
  if (tree.op === "[]") {
    const args = node.args as [unknown, RewritableNode];
    args[1] = toIndexNode(args[1]);
  }
}

function toDecimal(value: unknown, node: RewritableNode): unknown {
  if (typeof value === "bigint") return new Decimal(value.toString());
  return typeof value === "number" ? new Decimal(literalSource(node)) : value;
}

/** Returns the source text of a number. The parser has already converted the value to a double. */
function literalSource({ input, start, end }: RewritableNode): string {
  return input.slice(start, end);
}

function isNullLiteral(node: ASTNode): boolean {
  return node.op === "value" && node.args === null;
}

/** Converts a decimal index to the language's own integer type, which list access requires. */
function toIndexNode(node: RewritableNode): RewritableNode {
  // The arguments keep the expression among the children, whose steps count.
  const index = node.clone({ name: "value" }, [node]);
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

/** Must run after the type check. Counts a step for each part, and more for long texts and lists. */
export function meterSteps(tree: ASTNode): void {
  for (const child of childrenOf(tree)) meterSteps(child);
  const node = tree as unknown as RewritableNode;
  const { alternate, macro, evaluate } = node.meta;
  const run: Evaluate = alternate
    ? (evaluator, _, ctx) => alternate.evaluate(evaluator, alternate, ctx)
    : macro
      ? (evaluator, _, ctx) => macro.evaluate(evaluator as never, macro, ctx)
      : evaluate;
  const createsText = tree.op === "+" || tree.op === "call";
  node.evaluate = (evaluator, self, ctx) => {
    spend(1);
    const value = run(evaluator, self, ctx);
    if (typeof value === "string") {
      spendText(value);
      if (createsText) assertTextLength(value);
    }
    if (Array.isArray(value)) spend(value.length / 4);
    return value;
  };
}
