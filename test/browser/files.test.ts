import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, Server, type Call } from "../dev/server.ts";
import { expectGoodLooks, useBrowser } from "./browser.ts";
import { Person } from "./person.ts";

const claimsDefinition = {
  name: "Expense claims",
  fields: [
    { key: "title", label: "Title", type: "text", required: true },
    { key: "receipts", label: "Receipts", type: "files", max_files: 3, max_bytes: 100_000 },
  ],
};

const textFile = (name: string, bytes = 5) => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.alloc(bytes, "a"),
});

describe("Files of a form", () => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  let call: Call;
  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential("--name", "Files");
    call = caller(server.url, token);
    await call("PUT", "/forms/claims/schema", claimsDefinition);
  }, 60_000);
  afterAll(() => server.remove());

  const signInAt = async (path: string, javaScriptEnabled = true) => {
    const { page } = await open(path, { javaScriptEnabled, member: account(server) });
    return { page, person: new Person(page) };
  };
  const storedNames = async (url: string) => {
    const id = new URL(url).pathname.split("/").at(-1);
    const { data } = (await call("GET", `/submissions/${id}`)).body;
    return data.receipts.map(({ name }: { name: string }) => name);
  };

  it("upload with progress when chosen or dropped, and are attached when the form is saved", async () => {
    const { page, person } = await signInAt("/admin/forms/claims/items/new");
    await person.fill("Title", "Trip to Lyon");
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/admin/files/*/content", async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.getByLabel("Add files").setInputFiles(textFile("hotel.txt"));
    await page.getByRole("progressbar", { name: "Uploading hotel.txt" }).waitFor();
    await person.press("Create submission");
    expect(new URL(page.url()).pathname).toBe("/admin/forms/claims/items/new");
    release();
    await page.getByLabel("Remove hotel.txt").waitFor();

    const dropped = await page.evaluateHandle(
      "(() => { const data = new DataTransfer(); data.items.add(new File(['train'], 'train.txt')); return data; })()",
    );
    const receipts = page.getByRole("group", { name: "Receipts" });
    await receipts.dispatchEvent("drop", { dataTransfer: dropped });
    await page.getByLabel("Remove train.txt").waitFor();
    await expectGoodLooks(page);
    await person.press("Create submission");
    await page.getByText("Trip to Lyon created").waitFor();
    expect(await storedNames(page.url())).toEqual(["hotel.txt", "train.txt"]);
    await expectGoodLooks(page);
  }, 60_000);

  it("that are too large show why, and do not prevent saving", async () => {
    const { page, person } = await signInAt("/admin/forms/claims/items/new");
    await person.fill("Title", "Scan");
    await page.getByLabel("Add files").setInputFiles(textFile("scan.txt", 100_001));
    await page.getByText("The file is too large for this field.").waitFor();
    await expectGoodLooks(page);
    await person.press("Dismiss scan.txt");
    expect(await page.getByText("scan.txt").count()).toBe(0);
    await person.press("Create submission");
    await page.getByText("Scan created").waitFor();
    expect(await storedNames(page.url())).toEqual([]);
  }, 60_000);

  it("are sent with the form and removed again without scripts", async () => {
    const { page, person } = await signInAt("/admin/forms/claims/items/new", false);
    await person.fill("Title", "Trip to Kyoto");
    await page.getByLabel("Add files").setInputFiles([textFile("bus.txt"), textFile("meal.txt")]);
    await person.press("Create submission");
    await page.getByText("Trip to Kyoto created").waitFor();
    expect(await storedNames(page.url())).toEqual(["bus.txt", "meal.txt"]);
    await person.follow("Edit");
    await person.tick("Remove bus.txt");
    await person.press("Save changes");
    await page.getByText("Trip to Kyoto saved").waitFor();
    expect(await storedNames(page.url())).toEqual(["meal.txt"]);
  });
});
