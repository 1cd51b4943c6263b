/** Writes numbers as the locale of the reader does. The texts of a catalogue use it. */
export interface Numbers {
  /** Writes like “1,204”. */
  formatCount: (count: number) => string;
  /** Writes the text of a number with all its decimals; other texts stay as they are. */
  formatNumber: (text: string) => string;
  /** Writes like “1.2 MB”. */
  formatBytes: (bytes: number) => string;
}
