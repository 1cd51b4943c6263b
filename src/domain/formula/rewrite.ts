import type { ASTNode } from "@marcbachmann/cel-js";
import { spend, spendText } from "./budget";
import { Decimal } from "./decimal";
import { emptiness, type Macro } from "./empty";
import { refuseLongText, renamed } from "./environment";
import { childrenOf } from "./syntax";

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
