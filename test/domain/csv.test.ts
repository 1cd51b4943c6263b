import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvLine } from "../../src/documents/csv.ts";
import { CsvFault, parseCsv } from "../../src/domain/import/csv.ts";

const most = 5000;
const cellsOf = (text: string) => parseCsv(text, most).rows.map(({ cells }) => cells);

/** A cell whose line ends are all \n, as they are read. */
const cell = fc
  .string({ unit: fc.constantFrom("a", "é", "字", '"', ",", ";", "\t", "\n", " ", "=") })
  .filter((text) => text !== "\uFEFF");

describe("CSV that is read", () => {
  it("is what was written, whatever stands in the cells", () => {
    const tables = fc
      .integer({ min: 2, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 }),
      );
    fc.assert(
      fc.property(tables, (rows) => {
        const header = ["x", ...(rows[0]?.slice(1).map((_, i) => `h${i}`) ?? ["y"])];
        const text = csvLine(header) + rows.map((cells) => csvLine(cells)).join("");
        expect(cellsOf(text)).toEqual(rows);
      }),
    );
  });

  it.each([
    ["a,b\r\n1,2\r\n", [["1", "2"]]],
    ["\uFEFFa;b\n1,5;2", [["1,5", "2"]]],
    ["a\tb\n1\t", [["1", ""]]],
    [
      'a,b\n"x ""y""\r\nz",2\n\n3,4',
      [
        ['x "y"\nz', "2"],
        ["3", "4"],
      ],
    ],
    ['"a;b",c\n1,2', [["1", "2"]]],
  ])("%j is read as its cells", (text, rows) => {
    expect(cellsOf(text)).toEqual(rows);
  });

  it("names the line of each row, as an editor counts them", () => {
    expect(parseCsv('a,b\n"1\n2",3\n4,5', most).rows.map(({ line }) => line)).toEqual([2, 4]);
  });

  it.each([
    ["", 1],
    ['a,b\n"1,2', 2],
    ['a,b\n1,"2"3', 2],
    ["a\n1\n2\n3", 4],
  ])("%j is refused, naming line %i", (text, line) => {
    const refused = () => parseCsv(text, 2);
    expect(refused).toThrow(CsvFault);
    try {
      refused();
    } catch (fault) {
      expect((fault as CsvFault).line).toBe(line);
    }
  });
});
