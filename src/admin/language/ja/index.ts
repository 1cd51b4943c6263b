import { lazy } from "#domain/lazy.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { account } from "./account.ts";
import { files } from "./files.ts";
import { audit } from "./audit.ts";
import { databases } from "./databases.ts";
import { frame } from "./frame.ts";
import { itemImport } from "./item-import.ts";
import { moves } from "./moves.ts";
import { overview } from "./overview.ts";
import { signIn } from "./sign-in.ts";
import { terms } from "./terms.ts";

/** The Japanese texts. docs/administration.md has the glossary. */
export const ja = lazy((): Catalogue => ({
  account: account(),
  files: files(),
  audit: audit(),
  databases: databases(),
  frame: frame(),
  itemImport: itemImport(),
  moves: moves(),
  overview: overview(),
  signIn: signIn(),
  terms: terms(),
}));
