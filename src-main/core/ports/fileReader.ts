/** A file with its content. */
export interface FileContent {
  bytes: Uint8Array
  /** File name, or empty. It distinguishes kinds of text files only. */
  name: string
}

/** Reads the text of documents, one at a time, in a process that may die. */
export interface FileReader {
  /**
   * The text of a file, at most `maxCharacters` of it.
   * @throws StudioError `bad_input` for a file that can't be read within the limits, `cancelled` after `terminate`
   */
  read(file: FileContent, maxCharacters: number): Promise<string>
  /** Ends the process. */
  terminate(): Promise<void>
}
