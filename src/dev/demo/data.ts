/** The people, goods and texts of the demo. Every run generates the same data, because it uses the same numbers. */

const dayMs = 24 * 60 * 60 * 1000;

/** The number of days that the demo covers. */
export const demoDays = 92;

interface Contact {
  name: string;
  email: string;
}

/** The documentation mentions the first four. */
export const contacts: Contact[] = [
  ["Yamada", "yamada@example.com"],
  ["Garcia", "garcia@example.com"],
  ["Okonkwo", "okonkwo@example.com"],
  ["Lindström", "lindstrom@example.com"],
  ["佐藤 美咲", "misaki.sato@aoba.example"],
  ["Papierhaus Krüger GmbH", "einkauf@krueger.example"],
  ["Harbour & Finch Ltd", "orders@harbourfinch.example"],
  ["鈴木文具店", "info@suzuki-bungu.example"],
  ["Buchhandlung am Markt", "bestellung@ammarkt.example"],
  ["Eleanor Whitfield", "e.whitfield@mail.example"],
  ["高橋 健", "ken.takahashi@mail.example"],
  ["Jonas Brandt", "jonas.brandt@mail.example"],
  ["Northgate Primary School", "office@northgate.example"],
  ["株式会社みどり設計", "soumu@midori-sekkei.example"],
  ["Architekturbüro Seidel", "buero@seidel.example"],
  ["Priya Raman", "priya.raman@mail.example"],
  ["伊藤 由美子", "yumiko.ito@mail.example"],
  ["Frauke Petersen", "f.petersen@mail.example"],
  ["The Inkwell", "hello@inkwell.example"],
  ["渡辺印刷", "order@watanabe-print.example"],
  ["Stadtbibliothek Ulm", "erwerbung@bibliothek-ulm.example"],
  ["Owen Davies", "owen.davies@mail.example"],
  ["中村 蓮", "ren.nakamura@mail.example"],
  ["Grünwald & Söhne", "kontor@gruenwald.example"],
].map(([name = "", email = ""]) => ({ name, email }));

interface Product {
  name: string;
  sku: string;
  price: number;
}

export const products: Product[] = [
  { name: "Notebook", sku: "A-1", price: 30.2 },
  { name: "Desk lamp", sku: "B-7", price: 249 },
  { name: "Fountain pen", sku: "C-3", price: 12.75 },
  { name: "和紙便箋", sku: "A-4", price: 8.4 },
  { name: "Füllertinte, königsblau", sku: "C-8", price: 6.9 },
  { name: "Drawing board A2", sku: "B-2", price: 74.5 },
  { name: "筆ペン", sku: "C-11", price: 3.2 },
  { name: "Aktenordner, 10 Stück", sku: "D-5", price: 27.9 },
];

const purchaseTitles = [
  ["Standing desk", "Design", 1180, "hardware"],
  ["会議用マイク", "Engineering", 420, "hardware"],
  ["Messestand, Aufbau", "Sales", 2350, "service"],
  ["Map licences", "Engineering", 890, "software"],
  ["翻訳サービス", "Sales", 640, "service"],
  ["Bürostühle", "Facilities", 1575, "hardware"],
  ["Colour calibration kit", "Design", 310.5, "hardware"],
  ["複合機のリース", "Facilities", 275, "service"],
  ["Schulung Datenschutz", "People", 980, "service"],
  ["Backup storage", "Engineering", 199.9, "software"],
  ["名刺の印刷", "Sales", 86.4, "service"],
  ["Erste-Hilfe-Kästen", "Facilities", 148, "hardware"],
] as const;

const questions = [
  [
    "Where is my parcel?",
    "en",
    "delivery",
    "It was due on Tuesday, and the tracking page is empty.",
  ],
  ["領収書を再発行してください", "ja", "invoice", "宛名を会社名に変更していただけますか。"],
  ["Lampe flackert", "de", "product", "Seit gestern flackert sie nach etwa zehn Minuten."],
  ["Wrong ink colour", "en", "return", "I ordered royal blue and received violet."],
  ["配送先を変更したい", "ja", "delivery", "引っ越しましたので、新しい住所へお願いします。"],
  ["Rechnung fehlt", "de", "invoice", "Unsere Buchhaltung braucht sie bis Monatsende."],
  ["Do you ship to Ireland?", "en", "delivery", "Two boxes of notebooks, to Cork."],
  ["ペン先が曲がっています", "ja", "product", "開封したときから曲がっていました。交換できますか。"],
  ["Rücksendung angemeldet", "de", "return", "Wann erhalte ich das Etikett?"],
  ["Discount for schools", "en", "invoice", "We would order 120 notebooks a term."],
] as const;

/** Returns a number from 0 to 1 that depends only on the index and the salt. */
const scatter = (index: number, salt: number) => {
  const value = Math.sin(index * 127.1 + salt * 311.7) * 43758.5453;
  return value - Math.floor(value);
};
const pick = <T>(list: readonly T[], index: number, salt: number): T =>
  list[Math.floor(scatter(index, salt) * list.length)] as T;

/**
 * Returns the number of days from the start of the demo for each of `count` items. Items become more frequent towards
 * the end.
 */
export function spread(count: number, start: number, now: number): number[] {
  const workday = (index: number) => {
    const part = ((index + scatter(index, 1)) / count) ** 0.8;
    return Math.min(start + part * demoDays * dayMs, now - (count - index) * 1000);
  };
  return Array.from({ length: count }, (_, index) => workday(index)).toSorted((a, b) => a - b);
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const firstLines = [
  ["A-1", 2, 30.2, "sent"],
  ["B-7", 1, 249, "packed"],
  ["A-1", 10, 28.5, "new"],
  ["C-3", 4, 12.75, "new"],
] as const;

export const orderCount = 96;

export function order(index: number, time: number): object {
  const first = firstLines[index];
  const { name, email } = first ? (contacts[index] as Contact) : pick(contacts.slice(4), index, 2);
  const identity = { customer: name, email, account: { email }, ordered_on: dayOf(time) };
  if (first) {
    const [sku, qty, price, state] = first;
    return { ...identity, state, lines: [{ sku, product: { sku }, qty, price }] };
  }
  const state = index < orderCount - 14 ? "sent" : index % 3 === 0 ? "packed" : "new";
  const lines = Array.from({ length: 1 + Math.floor(scatter(index, 3) * 3) }, (_, row) => {
    const { sku, price } = pick(products, index * 5 + row, 4);
    const qty = 1 + Math.floor(scatter(index + row, 5) ** 3 * 24);
    return { sku, product: { sku }, qty, price };
  });
  return { ...identity, state, lines };
}

/** A file in the folder `files`, and the field that it is attached to. */
export interface Attachment {
  collection: "form:purchase" | "form:helpdesk";
  field: "invoices" | "photos";
  file: string;
}

/** The files that staff attach to a purchase request one day after its creation, by the request's index. */
export const purchaseAttachments: Readonly<Record<number, Attachment>> = {
  36: { collection: "form:purchase", field: "invoices", file: "quote.pdf" },
};

/** The files that customers attach to their questions, by the question's index. */
export const questionAttachments: Readonly<Record<number, Attachment>> = {
  52: { collection: "form:helpdesk", field: "photos", file: "lamp.png" },
  57: { collection: "form:helpdesk", field: "photos", file: "nib.png" },
};

const firstPurchases = [
  ["Two monitors", "Design", 840, "hardware", "submitted"],
  ["Editor licences", "Engineering", 1250.5, "software", "submitted"],
  ["Window cleaning", "Facilities", 310, "service", "draft"],
] as const;

export const purchaseCount = 48;

export function purchase(index: number, time: number): { status: string; data: object } {
  const [title, department, amount, tag, status = "submitted"] =
    firstPurchases[index] ?? purchaseTitles[index % purchaseTitles.length] ?? [];
  const isFirst = index < firstPurchases.length;
  const factor = isFirst ? 1 : 0.6 + Math.round(scatter(index, 6) * 8) / 10;
  return {
    status: index === purchaseCount - 2 ? "draft" : status,
    data: {
      title,
      department,
      amount: Math.round((amount ?? 0) * factor * 100) / 100,
      needed_by: dayOf(time + (10 + Math.floor(scatter(index, 7) * 30)) * dayMs),
      tags: [tag],
      reference: `REQ-${index + 1}`,
    },
  };
}

export const questionCount = 60;

export function demoQuestion(index: number): object {
  const [subject, language, topic, message] = questions[index % questions.length] ?? [];
  const { name, email } = pick(contacts.slice(4), index, 8);
  const isAboutOrder = topic !== "invoice" && index % 3 !== 0;
  const number = String(5 + Math.floor(scatter(index, 9) * (orderCount - 10))).padStart(6, "0");
  return {
    subject,
    name,
    email,
    language,
    topic,
    urgent: index % 7 === 2,
    ...(isAboutOrder ? { order_number: `ORD-${number}` } : {}),
    message,
  };
}
