import type { Page } from "playwright-core";

/** A person at a page. Counts clicks and filled inputs. */
export class Person {
  readonly page: Page;
  actions = 0;
  /** The addresses of the visited pages without their origin, in order. Loading a page again is no visit. */
  readonly visited: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("framenavigated", (frame) => {
      if (frame !== page.mainFrame()) return;
      const { pathname, search, hash } = new URL(frame.url());
      const address = pathname + search + hash;
      if (address !== this.visited.at(-1)) this.visited.push(address);
    });
  }

  async signIn({ email, password }: { email: string; password: string }): Promise<void> {
    await this.fill("Email", email);
    await this.fill("Password", password);
    await this.press("Sign in");
  }

  async press(name: string, group?: string): Promise<void> {
    this.actions += 1;
    const scope = group ? this.page.getByRole("group", { name: group, exact: true }) : this.page;
    await scope.getByRole("button", { name, exact: true }).click();
  }

  async follow(name: string): Promise<void> {
    this.actions += 1;
    await this.page.getByRole("link", { name, exact: true }).first().click();
  }

  /** Finds the input with this label. Labels of required inputs end with “required”. */
  input(label: string) {
    const escaped = label.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return this.page.getByLabel(new RegExp(`^${escaped}( required)?$`)).first();
  }

  async fill(label: string, value: string): Promise<void> {
    this.actions += 1;
    await this.input(label).fill(value);
  }

  async tick(label: string): Promise<void> {
    this.actions += 1;
    await this.input(label).check();
  }

  async choose(label: string, option: string): Promise<void> {
    this.actions += 1;
    await this.input(label).selectOption({ label: option });
  }

  /** Opens the row of a field in the editor of definitions. */
  async openRow(label: string): Promise<void> {
    this.actions += 1;
    const name = this.page.locator("li.def .row > summary strong");
    await name.getByText(label, { exact: true }).click();
  }

  /** Types into the focused input. */
  async write(text: string): Promise<void> {
    this.actions += 1;
    await this.page.keyboard.type(text);
  }

  async main(): Promise<string> {
    return (await this.page.textContent("main")) ?? "";
  }
}
