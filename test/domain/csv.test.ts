import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvLine, defuse } from "../../src/documents/csv.ts";
import { CsvError, parseCsv } from "../../src/domain/import/csv.ts";

const maxRows = 5000;
const cellsOf = (text: string) => parseCsv(text, maxRows).rows.map(({ cells }) => cells);

/** A cell with \n as its only line end, because the parser normalizes line ends. */
const cell = fc
  .string({ unit: fc.constantFrom("a", "é", "字", '"', ",", ";", "\t", "\n", " ", "=") })
  .filter((text) => text !== "\uFEFF");

describe("Parsing of CSV", () => {
  it("returns the cells that were written, whatever they contain", () => {
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
  ])("returns the cells of %j", (text, rows) => {
    expect(cellsOf(text)).toEqual(rows);
  });

  it("returns the line number of each row as an editor counts lines", () => {
    expect(parseCsv('a,b\n"1\n2",3\n4,5', maxRows).rows.map(({ line }) => line)).toEqual([2, 4]);
  });

  it.each([
    ["", 1],
    ['a,b\n"1,2', 2],
    ['a,b\n1,"2"3', 2],
    ["a\n1\n2\n3", 4],
  ])("rejects %j and names line %i", (text, line) => {
    const parse = () => parseCsv(text, 2);
    expect(parse).toThrow(CsvError);
    try {
      parse();
    } catch (error) {
      expect((error as CsvError).line).toBe(line);
    }
  });
});

describe("Cells for spreadsheets", () => {
  it.each([
    ["=1", "'=1"],
    ["＝1", "'＝1"],
    ["a;=1", "a;'=1"],
    ["a; @x", "a;' @x"],
    ["a\t+1\nb\r-2", "a\t'+1\nb\r'-2"],
    ["\n=1", "'\n'=1"],
    ["a=1; b", "a=1; b"],
  ])("%j becomes %j", (text, expected) => {
    expect(defuse(text)).toBe(expected);
  });
});
