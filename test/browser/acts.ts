import type { Locator, Page } from "playwright-core";

/** Performs a person's actions and counts them: clicks, filled fields and selections. */
export class ActionCounter {
  count = 0;
  readonly #page: Page;
  readonly #visited: string[] = [];

  constructor(page: Page) {
    this.#page = page;
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) this.#visited.push(new URL(frame.url()).pathname);
    });
  }

  async click(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }

  async link(name: string): Promise<void> {
    await this.click(this.#page.getByRole("link", { name, exact: true }));
  }

  async button(name: string): Promise<void> {
    await this.click(this.#page.getByRole("button", { name, exact: true }));
  }

  async check(name: string | RegExp): Promise<void> {
    this.count += 1;
    await this.#page.getByLabel(name).first().check();
  }

  async fill(name: string, value: string): Promise<void> {
    this.count += 1;
    await this.#page.getByLabel(name).first().fill(value);
  }

  async select(name: string, value: string): Promise<void> {
    this.count += 1;
    await this.#page.getByLabel(name).first().selectOption(value);
  }

  /** The pages that the person visited more than once. */
  get revisited(): string[] {
    return this.#visited.filter((path, i) => this.#visited.indexOf(path) < i);
  }
}
