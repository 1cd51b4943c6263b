import { lazy } from "#domain/lazy.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { account } from "./account.ts";
import { fieldEditor } from "./field-editor.ts";
import { files } from "./files.ts";
import { audit } from "./audit.ts";
import { databases } from "./databases.ts";
import { definitionAccess } from "./definition-access.ts";
import { definitionChanges } from "./definition-changes.ts";
import { definitionEditor } from "./definition-editor.ts";
import { definitionDeletion } from "./definition-deletion.ts";
import { definitionJson } from "./definition-json.ts";
import { definitionSettings } from "./definition-settings.ts";
import { definitionVersions } from "./definition-versions.ts";
import { definitions } from "./definitions.ts";
import { frame } from "./frame.ts";
import { itemImport } from "./item-import.ts";
import { overview } from "./overview.ts";
import { signIn } from "./sign-in.ts";
import { terms } from "./terms.ts";
import { viewDescription } from "./view-description.ts";

/** The Japanese texts. docs/administration.md has the glossary. */
export const ja = lazy((): Catalogue => ({
  account: account(),
  files: files(),
  audit: audit(),
  databases: databases(),
  definitionAccess: definitionAccess(),
  definitionChanges: definitionChanges(),
  definitionEditor: definitionEditor(),
  definitionDeletion: definitionDeletion(),
  definitionJson: definitionJson(),
  definitionSettings: definitionSettings(),
  definitionVersions: definitionVersions(),
  definitions: definitions(),
  fieldEditor: fieldEditor(),
  frame: frame(),
  itemImport: itemImport(),
  overview: overview(),
  signIn: signIn(),
  terms: terms(),
  viewDescription: viewDescription(),
}));
