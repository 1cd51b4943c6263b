import type { Page } from "playwright-core";

/** Somebody at a page, whose clicks and filled inputs are counted. */
export class Person {
  readonly page: Page;
  acts = 0;
  /** The pages that were come to, in order. */
  readonly visited: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) this.visited.push(new URL(frame.url()).pathname);
    });
  }

  async signIn({ email, password }: { email: string; password: string }): Promise<void> {
    await this.fill("E-mail", email);
    await this.fill("Password", password);
    await this.press("Sign in");
  }

  async press(name: string, within?: string): Promise<void> {
    this.acts += 1;
    const place = within ? this.page.getByRole("group", { name: within, exact: true }) : this.page;
    await place.getByRole("button", { name, exact: true }).click();
  }

  async follow(name: string): Promise<void> {
    this.acts += 1;
    await this.page.getByRole("link", { name, exact: true }).first().click();
  }

  /** An input with this label; the required ones say so in theirs. */
  input(label: string) {
    const escaped = label.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return this.page.getByLabel(new RegExp(`^${escaped}( required)?$`)).first();
  }

  async fill(label: string, value: string): Promise<void> {
    this.acts += 1;
    await this.input(label).fill(value);
  }

  async tick(label: string): Promise<void> {
    this.acts += 1;
    await this.input(label).check();
  }

  async choose(label: string, option: string): Promise<void> {
    this.acts += 1;
    await this.input(label).selectOption({ label: option });
  }

  /** Writes where the focus is. */
  async write(text: string): Promise<void> {
    this.acts += 1;
    await this.page.keyboard.type(text);
  }

  async main(): Promise<string> {
    return (await this.page.textContent("main")) ?? "";
  }
}
