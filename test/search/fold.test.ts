import { describe, expect, it } from "vitest";
import { fold } from "../../src/domain/data/index-entries.ts";
import { foldsToOthers, isPlain } from "../../src/domain/search/text.ts";

describe("The plain part of a word", () => {
  it("is in every text whose folded form has it, unless that has one of the letters that fold to others", () => {
    const others: string[] = [];
    for (let point = 0; point <= 0x10_ffff; point += 1) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      // Texts are stored in this form.
      if (character.normalize("NFC") !== character) continue;
      const ascii = character.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
      const gained = Array.from(fold(character)).filter((one) => one !== ascii && isPlain(one));
      if (gained.length > 0) others.push(character);
    }
    expect(others.toSorted()).toEqual(Array.from(foldsToOthers).toSorted());
  });
});
