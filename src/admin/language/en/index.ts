import { lazy } from "#domain/lazy.ts";
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

/** The English texts. Their type is that of every catalogue. */
export const en = lazy(() => ({
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

export type Catalogue = ReturnType<typeof en>;
