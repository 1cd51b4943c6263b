/**
 * The sentences of field errors in the API. Names in braces are parameters. The catalogues of the administration area
 * translate the sentences by key, so a new sentence needs a translation. Limits and types of values have their own
 * members in field errors (`maximum`, `expected`), so most errors of items need no sentence here.
 */
const values = {
  valueRequired: "A value is required.",
  wrongFormat: "The value has the wrong format.",
  notText: "Must be a string.",
  notNumber: "Must be a number.",
  notWholeNumber: "Must be a whole number.",
  notBoolean: "Must be true or false.",
  notArray: "Must be an array.",
  notTextArray: "Must be an array of strings.",
  notRows: "Must be an array of objects.",
  notObject: "Must be an object.",
  notOfType: "Must be of type {type}.",
  notOneOf: "Must be one of {choices}.",
  empty: "Must not be empty.",
  noEntries: "Must have at least 1 entry.",
  tooFewEntries: "Must have at least {minimum} entries.",
  tooManyEntries: "Must have at most {maximum} entries.",
  tooShort: "Must be at least {minimum} characters long.",
  tooLong: "Must be at most {maximum} characters long.",
  tooSmall: "Must be at least {minimum}.",
  tooLarge: "Must be at most {maximum}.",
  noMultiple: "Must be a multiple of {divisor}.",
  notEmail: "Must be an email address.",
  notStorable:
    "Must be well-formed Unicode without the character U+0000, and with at most {marks} combining marks in a row.",
  unknownProperty: "Unknown property.",
  unknownPropertyOf: "Unknown property. Allowed: {choices}.",
  inexactNumber: "A double-precision number cannot represent {number} exactly.",
  inexactNumberNear:
    "A double-precision number cannot represent {number} exactly. The nearest one is {nearest}.",
  mismatch: "Must match the pattern {pattern}.",
  oneDecimal: "Must have at most 1 decimal place.",
  tooManyDecimals: "Must have at most {decimals} decimal places.",
  notDate: "Must be a calendar day like 2026-11-21, 2026-11-21Z or 2026-11-21+09:00.",
  notDateLike: 'Must be a calendar day, with or without an offset, like "{example}".',
  notDateTime: 'Must be an RFC 3339 date-time with an offset, like "{example}".',
  noOffset: 'Must end with Z or an offset like +09:00, for example "{example}".',
  notUrl: "Must be an absolute http or https URL.",
  notPhone:
    "Must be a phone number: 5 to 15 digits, with an optional leading +, spaces, dots, dashes and brackets.",
  unknownReference: 'Must match a record of the app "{app}" that you can see.',
  listedTwice: '"{value}" is in the list twice.',
  tooFewRows: "Must have at least {rows} rows.",
  noRows: "Must have at least 1 row.",
  tooManyRows: "Must have at most {rows} rows.",
  notTimeZone: "Must be an IANA time zone, like Asia/Tokyo.",
  hasControls: "Must not contain control characters.",
  notOneLine: "Must be one line of text.",
  notFuture: "Must be in the future.",
} as const;

const definitions = {
  keyFormat: "Must match {pattern}.",
  notAppKey: "Must be the key of an app.",
  notMediaType:
    "Must be a media type like application/pdf, or a range like image/*, in lower case.",
  notOffsetDateTime: "Must be an RFC 3339 date-time with an offset.",
  receiptPrefixFormat:
    "Must be at most 20 characters from A-Z, a-z, 0-9, dot, dash and underscore.",
  receiptPrefixReserved: 'Must not start with "rec_".',
  closesBeforeOpening: "Must be later than opens_at.",
  otherKeyInPath: 'Must be "{key}", the key in the path, or be omitted.',
  conditionsTooDeep: "Conditions may be nested at most {maximum} levels deep.",
  definitionTooDeep: "A definition may be nested at most {maximum} levels deep.",
  tooManyDefinitionValues: "A definition may have at most {maximum} values.",
  tooManyFields: "Must have at most {maximum} fields, retired ones included, not {fields}.",
  definitionTooLarge: "Must have at most {maximum} bytes, retired fields included.",
  noMoreFields: "This definition cannot have more new fields. Every field it ever had counts.",
  tooManyCells:
    "The line items may have at most {maximum} cells (columns times max_rows), not {cells}.",
  defaultsTooLarge: "The defaults may have at most {maximum} bytes in an item, not {bytes}.",
  keyTwice: 'The key "{key}" is used twice.',
  optionTwice: 'The option "{option}" is used twice.',
  optionNotNormal: "Must be in Unicode normal form C (NFC).",
  exceedsRule: "Must not exceed {rule}, which is {maximum}.",
  decimalsOfIntegers: "Must be 0 for integers.",
  decimalsOfNonNumber: 'Only allowed if "result" is "number".',
  uniqueColumn: "Columns of line items cannot be unique.",
  sectionColumn: "Columns of line items cannot start a section.",
  notTitleField: '"{key}" is not a searchable text field.',
  notTitleFieldOf: '"{key}" is not a searchable text field. Allowed: {choices}.',
  titleFieldRemoved:
    'The title field "{key}" is no longer among the fields. Send the key of another field, or null.',
  locationIsFixed: 'Cannot change. It is "{location}" since its creation. Omit it.',
  noLocationIsFixed: "Cannot change. It is unset since its creation. Omit it.",
  noDatabaseThere: 'This installation has no database in "{location}". Omit it.',
  fieldsNotPatched: "PATCH cannot change fields. Send the whole definition with PUT.",
  noSuchDatabase: 'This installation has databases in {known}, not in "{location}".',
  renamedToItself: 'Must name another key than "{key}", or be left out.',
  renamedOverAnother:
    'The field "{oldKey}" is kept, and "{key}" exists too. Leave renamed_from out.',
  noFieldToRename: 'There is no field "{key}" to rename.',
  setByServer: "The server sets {name}. Leave it out.",
  acceptingSetByServer: "The server sets accepting. Leave it out, and change state instead.",
  noAppToReferTo: 'There is no app "{app}" that this definition may refer to.',
  retentionNotAllowed: "Only owners and admins, and their credentials, can set or shorten retain.",
  historyNotAllowed:
    "Only an owner can shorten history_days from {days}, in the administration area.",
} as const;

const patterns = {
  notPattern: "Must be a regular expression (ECMAScript, Unicode mode): {detail}.",
  backReference:
    "Patterns cannot contain back-references, because they do not match in linear time.",
  lookAround: "Patterns cannot contain look-ahead, look-behind or inline flags.",
  unclosedGroup: "The group {group} has no closing parenthesis.",
  tooManyStates:
    "The pattern needs {states} states, but at most {maximum} are allowed. Use smaller counts in {n,m}.",
  textsTooLongForPattern:
    "The pattern needs {states} states. With it, max_length may be at most {maximum}, not {length}.",
  tooManyStatesTogether: "The patterns together may have at most {maximum} states, not {states}.",
  tooManyClasses:
    "The patterns may have at most {maximum} different character classes, not {classes}.",
} as const;

const formulas = {
  formulasTooLong: "The formulas may have at most {maximum} characters, not {length}.",
  formulasTooSlow: "The formulas may take at most {maximum} steps for one item, not {steps}.",
  formulaCircle: "These formulas depend on each other in a circle: {keys}.",
  formulaResult: 'The formula returns {type}, but "result" is "{result}".',
  formulaInvalid: "The formula is invalid.",
  unknownField: 'There is no field "{name}".',
  unknownFieldOf: 'There is no field "{name}". Fields: {fields}.',
  unknownFieldLike: 'There is no field "{name}". Did you mean "{closest}"? Fields: {fields}.',
  unknownColumn: 'There is no column "{name}".',
  unknownFunction: 'There is no function "{name}". Functions: {functions}.',
  unknownMethod: 'There is no method "{name}". Methods: {methods}.',
  reservedWord: '"{name}" is a reserved word. Formulas cannot use it as a name.',
  maps: "Formulas cannot contain maps.",
  loopAfterLoop: "{call}() cannot follow {loop}().",
  loopInLoop: "{call}() cannot be used inside {loop}().",
  cannotAdd: "Cannot add {a} and {b}.",
  cannotSubtract: "Cannot subtract {b} from {a}.",
  cannotMultiply: "Cannot multiply {a} by {b}.",
  cannotDivide: "Cannot divide {a} by {b}.",
  cannotComputeRemainder: "Cannot compute {a} % {b}.",
  cannotLookFor: "Cannot look for {a} in {b}.",
  cannotCompare: "Cannot compare {a} with {b}.",
  cannotInvert: '"!" needs true or false, not {a}.',
  cannotNegate: "Cannot negate {a}.",
  notLogical: '"&&" and "||" need true or false on both sides, not {types}.',
  notCondition: "A condition must be true or false, not {types}.",
  unequalBranches: 'Both results of "? :" must have the same type, not {types}.',
  unequalEntries: "All entries of a list must have the same type, not {types}.",
  notList: "map(), filter(), all(), exists() and exists_one() need a list, not {types}.",
  unequalCoalesce: "coalesce() needs values of the same type, not {types}.",
  notPosition: "A position in a list must be a number, not {types}.",
  noParts: "There are no columns or positions in {types}.",
  noRowName: "The first argument must be a name for the row, as in map(row, row.amount).",
  noArguments: "{call}() needs at least one argument.",
  noArgumentsOn: "Cannot use {call}() on {type} without an argument.",
  wrongArguments: "{call}() does not accept {types}.",
  wrongArgumentsOn: "{call}() on {type} does not accept {types}.",
  tooManyParts: "A formula may have at most {maximum} parts.",
  formulaTooDeep: "A formula may be nested at most {maximum} levels deep.",
  listTooLong: "A list in a formula may have at most {maximum} entries.",
  tooManyArguments: "A function accepts at most {maximum} arguments.",
  endsTooEarly: "Syntax error at position {position}: the formula ends too early.",
  unclosedBracket: 'Syntax error at position {position}: the closing "{bracket}" is missing.',
  unclosedText: "Syntax error at position {position}: the text has no closing quote.",
  unexpectedText: 'Syntax error at position {position}: unexpected "{text}".',
} as const;

const views = {
  inView: 'View "{view}": {reason}',
  viewUsesRemovedField:
    'The view "{view}" uses the field "{field}", which this definition removes. Send "views" without it.',
  viewsTooLong: "The views may have at most {maximum} characters of JSON, not {length}.",
  viewConditions:
    "All views together may have at most {maximum} conditions, not {count}. Remove conditions or views.",
  viewWithMatches: 'A view cannot use "matches".',
  sharedViewOfCaller:
    'The view "{view}" cannot use "$me": all visitors of a page share the credential "{credential}", which reads through it.',
  viewInUse:
    'A {noun} uses the view "{view}", so only owners and admins can change which items, fields and values it shows.',
  pendingViewInUse:
    'A pending change concerns the view "{view}", which a {noun} uses. Only owners and admins can replace or cancel it. Wait until it has taken effect, or change only settings with PATCH.',
  viewWithSameMarks:
    'The service cannot tell the changes of {view} from those of the view "{other}". Change the conditions of one of them first.',
  unknownView: "There is no view {view}.",
  viewsOfExpired:
    "The credential has expired, and its views may have changed since. Check them, and send `resources` again.",
  definitionChangedSince:
    "The definition of {collection} has changed since you opened this page. Check what its view shows, and try again.",
  allOrView: "Choose either all of {collection} or one of its views.",
  wholePermissions: "A credential with views cannot have {permissions}.",
  originsOfCallerView:
    'All visitors of a page share its credential, so with allowed origins it cannot read through {view}, which depends on "$me".',
  noFieldsChosen: "Choose at least one field.",
  noOptionChosen: "Choose an option.",
  noViewChosen: "Choose a view.",
} as const;

const rights = {
  tokensOnly: "A member with the role {role} may create personal tokens only.",
  exceedsRole: "A personal token cannot exceed the role of its member, which is {role}.",
  limitTooHigh: "Must be at most {maximum}. Only owners and admins can set more.",
  wrongConfirmation: 'Must be "{key}", the key of this {kind}.',
  tooManyMonths: "Choose at most {maximum} months.",
  startsAfterEnd: "Must not be after the last month.",
  notMonth: "Must be a month like 2026-11.",
  notDay: "Must be a calendar day like 2026-11-21.",
  searchTooLong: "Must have at most {maximum} characters.",
  selectionChanged:
    "A view, a field or the day has changed since you opened this page, so other items may match. Check the number, then confirm again.",
  chooseFewerColumns: "Choose fewer columns.",
  damagedCursor: "This cursor is damaged or belongs to another request. Use links.next unchanged.",
  repeatedParameter: "Send this parameter once.",
} as const;

/** Details of problems. */
const details = {
  appElsewhere:
    'The data of the app "{app}" is in another database. Linked apps and forms share one database.',
  referredAppElsewhere:
    'It refers to an app whose data is not in "{location}". Linked apps and forms share one database.',
  removedViewInUse:
    'The {noun} "{name}" uses the view "{view}". {remedy} before you remove the view.',
  removedViewInUseByOthers:
    'A {noun} uses the view "{view}", so nobody can remove it. Ask an owner or admin to change the {noun} first.',
  referredApp: 'The field "{field}" of {collection} refers to this app. Remove the field first.',
  keyOfDeleted:
    'The key "{key}" belongs to a deleted {kind}. It is free once that {kind} is erased, from {until} on. Until then, an owner or admin can restore the {kind}.',
  typeIsChanging:
    'The type of "{field}" is changing. It accepts no values until the change is done.',
  typeInUse: "The type of {fields} cannot change while items have values there.",
  valuesNotUnique: '"{field}" cannot become unique: {items} have the same value.',
  conditionsNotList: "Conditions must be a JSON list, as in the API.",
  dataNotObject: "data must be a JSON object.",
} as const;

const webhooks = {
  notAbsoluteUrl: "Must be an absolute URL.",
  urlWithUser:
    "Must not contain a user name or password. Put a secret into the path or a parameter.",
  notHttps: "Must be an https URL.",
  wrongPort: "The port must be 443 or 8443.",
  noHost: "Must contain a host name.",
  ipAddress: "Must contain a host name, not an IP address.",
  localHost: "Must be reachable from the internet, not localhost.",
  collectionNameFormat:
    'Must be like "app:orders", "form:purchase" or "form:purchase/open_design".',
  notCollections:
    'Must be "all", or a list of 1 to {maximum} names like "form:purchase" and "app:orders".',
  changedFieldFormat: 'Must be a key or "$status".',
  unknownChangedField:
    'No selected app or form has a field "{key}". Use top-level keys or "$status".',
  unseenCollection: "The {collection} does not exist, or this credential cannot see it.",
  tooManyWebhooks: "At most {maximum} webhooks are possible. Delete one first.",
} as const;

export const reasonTexts = {
  ...values,
  ...definitions,
  ...patterns,
  ...formulas,
  ...views,
  ...rights,
  ...details,
  ...webhooks,
};
