/** The memory that large tables are in. What is to be written as a whole can be had in larger pieces than the usual pages. */

export interface TableMemory {
  /** Prefixes, and paths, that tables reserve addresses for; memory they take when routes come. */
  readonly capacity: number;
  /** A column of a table, all 0, that nobody has written to yet and that fills up as routes come. */
  words(count: number): Int32Array;
}

/** For tables that are small, or that nobody waits for. */
export const PLAIN_MEMORY: TableMemory = { capacity: 1024, words: (count) => new Int32Array(count) };
