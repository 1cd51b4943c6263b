/** The names of ranges of media types, like “images” for `image/*`. */
export interface RangeNames {
  image: string;
  audio: string;
  video: string;
  text: string;
  any: string;
}

const office = "application/vnd.openxmlformats-officedocument.";

const names: Record<string, string> = {
  "application/pdf": "PDF",
  "application/zip": "ZIP",
  "application/json": "JSON",
  "application/msword": "Word",
  "application/vnd.ms-excel": "Excel",
  "application/vnd.ms-powerpoint": "PowerPoint",
  [`${office}wordprocessingml.document`]: "Word",
  [`${office}spreadsheetml.sheet`]: "Excel",
  [`${office}presentationml.presentation`]: "PowerPoint",
  "image/svg+xml": "SVG",
  "image/jpeg": "JPEG",
  "image/webp": "WebP",
  "text/plain": "TXT",
};

/** Returns common names of file types, like “JPEG” for `image/jpeg`, without duplicates. */
export function nameFileTypes(types: readonly string[], ranges: RangeNames): string[] {
  return [...new Set(types.map((type) => nameFileType(type.trim().toLowerCase(), ranges)))];
}

function nameFileType(type: string, ranges: RangeNames): string {
  const [main = "", subtype = ""] = type.split("/");
  if (type === "*/*") return ranges.any;
  if (subtype === "*") return main in ranges ? ranges[main as keyof RangeNames] : type;
  // The subtypes of media files equal the names of their formats: image/png, audio/flac, text/csv.
  const isPlain = main in ranges && /^[a-z0-9]{2,5}$/.test(subtype);
  return names[type] ?? (isPlain ? subtype.toUpperCase() : type);
}
