const barWidth = 30;
/** Milliseconds between two lines if the output is not a terminal. */
const lineIntervalMs = 5000;

/** Shows a bar on a terminal, and occasional lines elsewhere. Uses stderr, so that stdout holds only results. */
export class Progress {
  readonly #label: string;
  readonly #unit: string;
  readonly #started = Date.now();
  readonly #isTerminal = process.stderr.isTTY;
  #lastWrittenAt = Date.now();

  constructor(label: string, unit = "items") {
    this.#label = label;
    this.#unit = unit;
  }

  /** Prints `count`. If `total` is known, the bar shows which share of it is done. */
  at(count: number, total?: number, done = count): void {
    const now = Date.now();
    if (now - this.#lastWrittenAt < (this.#isTerminal ? 100 : lineIntervalMs)) return;
    this.#lastWrittenAt = now;
    const rate = Math.round((count * 1000) / Math.max(1, now - this.#started));
    const status = `${count.toLocaleString("en")} ${this.#unit}, ${rate.toLocaleString("en")}/s`;
    if (!this.#isTerminal) return void process.stderr.write(`${this.#label}: ${status}\n`);
    const filledWidth = total ? Math.round((barWidth * Math.min(done, total)) / total) : 0;
    const bar = total ? `[${"#".repeat(filledWidth)}${" ".repeat(barWidth - filledWidth)}] ` : "";
    process.stderr.write(`\r\u001B[K${this.#label} ${bar}${status}`);
  }

  /** Clears the bar. The caller prints the result. */
  end(): void {
    if (this.#isTerminal) process.stderr.write("\r\u001B[K");
  }
}
