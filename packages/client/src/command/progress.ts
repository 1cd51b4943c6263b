const width = 30;
/** Milliseconds between two lines where there is no terminal. */
const pause = 5000;

/** A bar on a terminal, elsewhere a line now and then; on the error output, so that results stand alone. */
export class Progress {
  readonly #label: string;
  readonly #unit: string;
  readonly #started = Date.now();
  readonly #isTerminal = process.stderr.isTTY;
  #told = Date.now();

  constructor(label: string, unit = "items") {
    this.#label = label;
    this.#unit = unit;
  }

  /** `part` of `whole` is done, where the whole is known; `count` is what is told of it. */
  at(count: number, whole?: number, part = count): void {
    const now = Date.now();
    if (now - this.#told < (this.#isTerminal ? 100 : pause)) return;
    this.#told = now;
    const rate = Math.round((count * 1000) / Math.max(1, now - this.#started));
    const counted = `${count.toLocaleString("en")} ${this.#unit}, ${rate.toLocaleString("en")}/s`;
    if (!this.#isTerminal) return void process.stderr.write(`${this.#label}: ${counted}\n`);
    const filled = whole ? Math.round((width * Math.min(part, whole)) / whole) : 0;
    const bar = whole ? `[${"#".repeat(filled)}${" ".repeat(width - filled)}] ` : "";
    process.stderr.write(`\r\u001B[K${this.#label} ${bar}${counted}`);
  }

  /** Clears the bar; what came of it is told elsewhere. */
  end(): void {
    if (this.#isTerminal) process.stderr.write("\r\u001B[K");
  }
}
