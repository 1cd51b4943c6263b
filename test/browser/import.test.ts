import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, everyItem, Server, type Call } from "../dev/server.ts";
import { expectGoodLooks, useBrowser } from "./browser.ts";
import { Person } from "./person.ts";

const fields = [
  { key: "who", label: "Wer die Beschaffung beantragt hat", type: "text", required: true },
  { key: "code", label: "Code", type: "text", unique: true },
  { key: "amount", label: "金額", type: "number" },
];

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("Import, %s", (_, javaScriptEnabled) => {
  const server = new Server();
  const { open } = useBrowser(() => server.url);
  let call: Call;
  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential("--name", "Import");
    call = caller(server.url, token);
    for (const key of ["people", "many"]) {
      await call("PUT", `/forms/${key}/schema`, { name: `Import ${key}`, fields });
    }
  }, 120_000);
  afterAll(() => server.remove());

  const signIn = async () => {
    const { page, complaints } = await open("/admin", {
      javaScriptEnabled,
      acceptDownloads: true,
      member: account(server),
    });
    return { page, person: new Person(page), complaints };
  };
  const csvFile = (name: string, text: string) => ({
    name,
    mimeType: "text/csv",
    buffer: Buffer.from(text),
  });
  const storedItems = (form: string) => everyItem(call, `/forms/${form}/submissions?limit=200`);

  it("shows errors before it stores anything, imports the valid rows and returns the rejected ones", async () => {
    const { page, person, complaints } = await signIn();
    await person.follow("Forms");
    await person.follow("Import people");
    await person.follow("Import submissions");
    person.actions += 1;
    const csv = "Name;Code;金額\nSato;a;1\n;b;2\nTanaka;c;viele\nMüller;d;4,5\n";
    await page.getByLabel("File").setInputFiles(csvFile("people.csv", csv));
    await person.press("Review import");
    await page.getByText("4 rows").waitFor();
    expect(await storedItems("people")).toEqual([]);
    await person.choose("Field for Name", "Wer die Beschaffung beantragt hat");
    await person.press("Review again");
    await page.getByText("4 rows: 2 new, 2 rejected.").waitFor();
    const link = page.getByRole("link", { name: "View rejected rows" });
    expect(await link.getAttribute("href")).toBe("#rejected");
    await page.locator("h2#rejected").waitFor();
    const rejectedRows = page.getByRole("region", { name: "Rejected rows" });
    expect(await rejectedRows.locator("tbody tr").allTextContents()).toEqual([
      expect.stringMatching(/^3.*Wer die Beschaffung beantragt hat: /),
      expect.stringMatching(/^4.*金額 “viele”: /),
    ]);
    await person.press("Import 2 rows");
    await page.getByText("2 of 4 rows imported. 2 rejected.").waitFor();
    expect(person.actions).toBeLessThanOrEqual(9);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      person.press("Download rejected rows"),
    ]);
    expect(download.suggestedFilename()).toBe("people-rejected.csv");
    const rejectedCsv = readFileSync(await download.path(), "utf8");
    // The download uses the delimiter of the uploaded file.
    expect(rejectedCsv).toContain("Tanaka;c;viele;4;");
    const names = (await storedItems("people")).map(({ data }) => data.who as string);
    expect(names).toEqual(["Sato", "Müller"]);
    complaints.length = 0;
  }, 60_000);

  it("creates no duplicates when repeated, and imports many rows step by step", async () => {
    const rows = Array.from({ length: 620 }, (__, i) => `Person ${i},p${i},${i}\n`).join("");
    const { page, person } = await signIn();
    for (const outcome of ["Created620", "Unchanged620"]) {
      await page.goto("/admin/forms/many/items/import");
      await page.getByLabel("Or paste the rows").fill(`who,code,amount\n${rows}`);
      await person.press("Review import");
      await person.press("Import 620 rows");
      if (!javaScriptEnabled) {
        await page.getByText("500 of 620 rows imported.").waitFor();
        await person.press("Continue");
      }
      await page.getByText("620 rows imported.").waitFor({ timeout: 30_000 });
      expect(await page.locator(".facts").textContent()).toContain(outcome);
    }
    expect(await storedItems("many")).toHaveLength(620);
  }, 120_000);

  it("shows a parse error next to its input and keeps the pasted text", async () => {
    const { page, person, complaints } = await signIn();
    await page.goto("/admin/forms/people/items/import");
    await page.getByLabel("Or paste the rows").fill('who\n"open');
    await person.press("Review import");
    expect(await page.getByRole("alert").textContent()).toContain(
      "Line 2: A quoted cell has no closing quote",
    );
    expect(await page.locator("#f-file").getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByLabel("Or paste the rows").inputValue()).toBe('who\n"open');
    complaints.length = 0;
  });

  it.each(javaScriptEnabled ? ["with scripts"] : [])(
    "%s, its pages have no axe violations at both widths and in both colour schemes",
    async () => {
      const { page, person, complaints } = await signIn();
      const expectGoodLook = () => expectGoodLooks(page);
      await page.goto("/admin/forms/people/items/import");
      await expectGoodLook();
      await person.press("Review import");
      await expectGoodLook();
      const longText =
        "Stehpulthöhenverstellungsmechanismusersatzteillieferung 会議室の予備の椅子".repeat(2);
      await page
        .getByLabel("Or paste the rows")
        .fill(`who,code,amount,${longText}\n${longText},z,1,x\n,y,x,x\n`);
      await person.press("Review import");
      await expectGoodLook();
      await page.getByLabel("Field for code").selectOption({ label: "金額" });
      await person.press("Review again");
      expect(await page.getByRole("alert").textContent()).toContain("Another column already fills");
      await expectGoodLook();
      await page.getByLabel("Field for code").selectOption({ label: "Code" });
      await person.press("Review again");
      await person.press("Import 1 row");
      await page.getByText("1 of 2 rows imported").waitFor();
      await expectGoodLook();
      complaints.length = 0;
    },
    180_000,
  );
});
