import { describe, expect, it } from "vitest";
import { foldCase } from "../../src/domain/data/index-entries.ts";
import { specialFoldLetters, isPlainCharacter } from "../../src/domain/search/text.ts";
import { refoldedLetters } from "../../src/store/data/refolding.ts";

/** The mappings of status F in Unicode's CaseFolding.txt, as hexadecimal code points. */
const fullMappings = `
  df:73.73 130:69.307 149:2bc.6e 1f0:6a.30c 390:3b9.308.301 3b0:3c5.308.301 587:565.582 1e96:68.331 1e97:74.308
  1e98:77.30a 1e99:79.30a 1e9a:61.2be 1e9e:73.73 1f50:3c5.313 1f52:3c5.313.300 1f54:3c5.313.301 1f56:3c5.313.342
  1f80:1f00.3b9 1f81:1f01.3b9 1f82:1f02.3b9 1f83:1f03.3b9 1f84:1f04.3b9 1f85:1f05.3b9 1f86:1f06.3b9
  1f87:1f07.3b9 1f88:1f00.3b9 1f89:1f01.3b9 1f8a:1f02.3b9 1f8b:1f03.3b9 1f8c:1f04.3b9 1f8d:1f05.3b9
  1f8e:1f06.3b9 1f8f:1f07.3b9 1f90:1f20.3b9 1f91:1f21.3b9 1f92:1f22.3b9 1f93:1f23.3b9 1f94:1f24.3b9
  1f95:1f25.3b9 1f96:1f26.3b9 1f97:1f27.3b9 1f98:1f20.3b9 1f99:1f21.3b9 1f9a:1f22.3b9 1f9b:1f23.3b9
  1f9c:1f24.3b9 1f9d:1f25.3b9 1f9e:1f26.3b9 1f9f:1f27.3b9 1fa0:1f60.3b9 1fa1:1f61.3b9 1fa2:1f62.3b9
  1fa3:1f63.3b9 1fa4:1f64.3b9 1fa5:1f65.3b9 1fa6:1f66.3b9 1fa7:1f67.3b9 1fa8:1f60.3b9 1fa9:1f61.3b9
  1faa:1f62.3b9 1fab:1f63.3b9 1fac:1f64.3b9 1fad:1f65.3b9 1fae:1f66.3b9 1faf:1f67.3b9 1fb2:1f70.3b9 1fb3:3b1.3b9
  1fb4:3ac.3b9 1fb6:3b1.342 1fb7:3b1.342.3b9 1fbc:3b1.3b9 1fc2:1f74.3b9 1fc3:3b7.3b9 1fc4:3ae.3b9 1fc6:3b7.342
  1fc7:3b7.342.3b9 1fcc:3b7.3b9 1fd2:3b9.308.300 1fd3:3b9.308.301 1fd6:3b9.342 1fd7:3b9.308.342 1fe2:3c5.308.300
  1fe3:3c5.308.301 1fe4:3c1.313 1fe6:3c5.342 1fe7:3c5.308.342 1ff2:1f7c.3b9 1ff3:3c9.3b9 1ff4:3ce.3b9
  1ff6:3c9.342 1ff7:3c9.342.3b9 1ffc:3c9.3b9 fb00:66.66 fb01:66.69 fb02:66.6c fb03:66.66.69 fb04:66.66.6c
  fb05:73.74 fb06:73.74 fb13:574.576 fb14:574.565 fb15:574.56b fb16:57e.576 fb17:574.56d`;
const fullFoldings = new Map(
  fullMappings
    .trim()
    .split(/\s+/)
    .map((mapping) => {
      const [letter, folding] = mapping
        .split(":")
        .map((points) =>
          String.fromCodePoint(...points.split(".").map((point) => Number.parseInt(point, 16))),
        );
      return [letter ?? "", folding ?? ""];
    }),
);
const letters = Array.from({ length: 0x11_0000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));
const cased = letters.filter((letter) => /\p{CWCF}|\p{CWCM}/u.test(letter));

describe("Case folding", () => {
  it("folds a letter like its full mapping in CaseFolding.txt", () => {
    expect(fullFoldings.size).toBe(104);
    for (const [letter, folding] of fullFoldings) {
      expect([letter, foldCase(letter)]).toEqual([letter, folding.normalize("NFC")]);
    }
  });

  it("gives other letters one folding exactly if CaseFolding.txt folds them to the same letter", () => {
    // Regular expressions without case compare by the simple mappings, C and S.
    const simple = cased.filter(
      (letter) => !fullFoldings.has(letter) && letter === letter.normalize("NFC"),
    );
    const foldings = new Map<string, string>();
    for (const letter of simple) {
      const folding = foldCase(letter);
      expect([letter, new RegExp(`^${letter}$`, "iu").test(folding)]).toEqual([letter, true]);
      foldings.set(folding, letter);
    }
    const all = [...foldings.keys()].join("");
    for (const folding of foldings.keys()) {
      expect([folding, all.match(new RegExp(folding, "giu"))?.length]).toEqual([folding, 1]);
    }
  });

  it("leaves letters without case alone", () => {
    const caseless = letters.filter((letter) => !/\p{CWCF}|\p{CWCM}/u.test(letter)).join("\n");
    expect(foldCase(caseless) === caseless.normalize("NFC")).toBe(true);
  });

  it("does not depend on neighbours", () => {
    for (const text of [
      "ΝΗΣΊ",
      "ΟΔΟΣ",
      "ΟΔΟΣ ΑΒΓ",
      "ΣΑΣ ΣΑΣ",
      "Σ",
      "ΣΣ'Σ",
      "ISTANBUL ıSTANBUL",
      "İı",
    ]) {
      const apart = Array.from(text, foldCase).join("").normalize("NFC");
      expect(foldCase(text)).toBe(apart);
    }
  });

  it("differs from the former folding only for letters that are folded again", () => {
    const former = (text: string) =>
      text.toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
    const differing = cased.filter((letter) =>
      [letter, `Α${letter}`, `${letter}α`, `a${letter} b`].some(
        (text) => former(text) !== foldCase(text),
      ),
    );
    expect(differing.toSorted()).toEqual(Array.from(refoldedLetters).toSorted());
  });
});

describe("Plain characters of a word", () => {
  it("are in every text whose folded form has them, except texts with special fold letters", () => {
    const specialLetters: string[] = [];
    for (let point = 0; point <= 0x10_ffff; point += 1) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      // Texts are stored in NFC.
      if (character.normalize("NFC") !== character) continue;
      const ascii = character.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
      const newCharacters = Array.from(foldCase(character)).filter(
        (folded) => folded !== ascii && isPlainCharacter(folded),
      );
      if (newCharacters.length > 0) specialLetters.push(character);
    }
    expect(specialLetters.toSorted()).toEqual(Array.from(specialFoldLetters).toSorted());
  });
});
