import { lazy } from "#domain/lazy.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { account } from "./account.ts";
import { fieldEditor } from "./field-editor.ts";
import { files } from "./files.ts";
import { audit } from "./audit.ts";
import { bulk } from "./bulk.ts";
import { databases } from "./databases.ts";
import { definitionAccess } from "./definition-access.ts";
import { definitionChanges } from "./definition-changes.ts";
import { definitionEditor } from "./definition-editor.ts";
import { definitionDeletion } from "./definition-deletion.ts";
import { definitionJson } from "./definition-json.ts";
import { definitionSettings } from "./definition-settings.ts";
import { definitionVersions } from "./definition-versions.ts";
import { definitions } from "./definitions.ts";
import { erasure } from "./erasure.ts";
import { filters } from "./filters.ts";
import { frame } from "./frame.ts";
import { itemImport } from "./item-import.ts";
import { itemList } from "./item-list.ts";
import { overview } from "./overview.ts";
import { signIn } from "./sign-in.ts";
import { summary } from "./summary.ts";
import { terms } from "./terms.ts";
import { viewDescription } from "./view-description.ts";

/** The Japanese texts. docs/administration.md has the glossary. */
export const ja = lazy((): Catalogue => ({
  account: account(),
  files: files(),
  audit: audit(),
  bulk: bulk(),
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
  erasure: erasure(),
  filters: filters(),
  frame: frame(),
  itemImport: itemImport(),
  itemList: itemList(),
  overview: overview(),
  signIn: signIn(),
  summary: summary(),
  terms: terms(),
  viewDescription: viewDescription(),
}));
