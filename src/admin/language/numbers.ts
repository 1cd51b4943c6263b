/** Formats numbers in the reader's locale, for the texts of a catalogue. */
export interface Numbers {
  /** Formats like “1,204”. */
  formatCount: (count: number) => string;
  /** Formats the text of a number with all its decimals. Returns other texts unchanged. */
  formatNumber: (text: string) => string;
  /** Formats like “1.2 MB”. */
  formatBytes: (bytes: number) => string;
}
